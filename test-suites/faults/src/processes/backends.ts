import type { SessionDriver } from '@holdfast/core'
import { sqlDriver } from '@holdfast/sql'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'

/** What several processes can open at once: an SQLite file, or the folder of `examples/custom-backend`. */
export type SharedBackend = 'sqlite' | 'files'

export const SHARED_BACKENDS: readonly SharedBackend[] = ['sqlite', 'files']

export interface Connection {
  readonly driver: SessionDriver
  close(): void
}

/** As far up from here as from a bundle of this file. */
const EXAMPLE = new URL('../../../../examples/custom-backend/src/file-driver.js', import.meta.url)

/** Opens a backend in this process. SQLite as `openSql` does: WAL and `synchronous = FULL`. */
export async function openBackend(backend: SharedBackend, path: string): Promise<Connection> {
  if (backend === 'files') {
    const example = (await import(EXAMPLE.href)) as { fileDriver(root: string): SessionDriver }
    return { driver: example.fileDriver(path), close() {} }
  }
  const client = new Database(path, { timeout: 250 })
  client.pragma('journal_mode = WAL')
  client.pragma('synchronous = FULL')
  return { driver: await sqlDriver(drizzle(client)), close: () => void client.close() }
}
