import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryDriver, type SessionDriver } from '@holdfast/core'
import { sqlDriver } from '@holdfast/sql'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'

export type Backend = 'memory' | 'sqlite'

export interface Connections {
  readonly drivers: readonly SessionDriver[]
  close(): void
}

/** Several connections to one fresh backend. */
export async function connect(backend: Backend, count = 4): Promise<Connections> {
  if (backend === 'memory') {
    const driver = new MemoryDriver()
    return { drivers: Array.from({ length: count }, () => driver), close() {} }
  }
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-soak-'))
  const clients = Array.from({ length: count }, () => {
    const client = new Database(join(folder, 'soak.db'))
    client.pragma('journal_mode = WAL')
    client.pragma('busy_timeout = 5000')
    return client
  })
  const drivers: SessionDriver[] = []
  for (const client of clients) drivers.push(await sqlDriver(drizzle(client)))
  return {
    drivers,
    close() {
      for (const client of clients) client.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
