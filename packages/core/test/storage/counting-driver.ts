import type { Append, SessionDriver, StoredSession, Version } from '../../src/index.ts'
import { MemoryDriver } from '../../src/storage/memory-driver.ts'

const bytes = (texts: readonly string[]) =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** A real driver that counts what it is sent and what it answers, in UTF-8 bytes of heads and entries. */
export class CountingDriver implements SessionDriver {
  readonly inner = new MemoryDriver()
  written = 0
  answered = 0
  replaces = 0
  appends = 0

  /** The bytes written since the last time. */
  take(): number {
    const { written } = this
    this.written = 0
    return written
  }

  async read(id: string, options?: { readonly unless?: string; readonly skip?: number }) {
    const answer = await this.inner.read(id, options)
    if (answer && answer !== 'unchanged') this.answered += bytes([answer.head, ...answer.entries])
    return answer
  }

  replace(id: string, next: StoredSession, expected: Version | null) {
    this.replaces++
    this.written += bytes([next.head, ...next.entries])
    return this.inner.replace(id, next, expected)
  }

  append(id: string, change: Append, expected: Version) {
    this.appends++
    this.written += bytes([change.head, ...change.entries])
    return this.inner.append(id, change, expected)
  }

  delete(id: string, expected: Version) {
    return this.inner.delete(id, expected)
  }

  async list(query: { readonly after?: string; readonly before?: string; readonly limit: number }) {
    const rows = await this.inner.list(query)
    this.answered += bytes(rows.map(({ head }) => head))
    return rows
  }
}
