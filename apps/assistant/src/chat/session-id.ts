import { randomBytes } from 'node:crypto'

/** A new id that a person can read: day, time and four random letters, such as `20261130-143005-k3xq`. */
export function newSessionId(now = new Date()): string {
  const stamp = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)
  const letters = Array.from(randomBytes(4), (byte) => (byte % 32).toString(32)).join('')
  return `${stamp}-${letters}`
}
