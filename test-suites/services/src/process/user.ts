import { execFileSync } from 'node:child_process'

/** Whom a program runs as. */
export interface User {
  readonly uid: number
  readonly gid: number
}

/** The user to run a server as that refuses to be root: `name`, where this process is root; else undefined, for its own. */
export function userFor(name: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
