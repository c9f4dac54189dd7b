import { mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { HoldfastError } from '@holdfast/core'
import { classifySqlite } from '../dialects/sqlite-errors.ts'
import { load } from '../load.ts'
import type { CheckedOptions } from '../options.ts'
import { patiently } from '../setup.ts'
import { connectDriver } from '../sql-storage.ts'
import type { Engine, Opened } from './engine.ts'

const INSTALL = 'npm install better-sqlite3 drizzle-orm'
/** Longer than any of our transactions takes; shorter than a person notices that the event loop stands still. */
const BUSY_TIMEOUT_MS = 250

/** SQLite in a file or in memory, through better-sqlite3. */
export const sqlite: Engine = {
  schemes: ['sqlite'],
  example: 'sqlite:./agent.db',
  takesPath: true,
  open: openSqlite,
}

async function openSqlite(path: string, options: CheckedOptions): Promise<Opened> {
  if (path === '') {
    throw new HoldfastError(
      'INVALID_ARGUMENT',
      "The URL has no path: use 'sqlite:./agent.db', or 'sqlite::memory:' for a database in memory.",
    )
  }
  const { default: Database } = await load(() => import('better-sqlite3'), INSTALL)
  const { drizzle } = await load(() => import('drizzle-orm/better-sqlite3'), INSTALL)
  const inMemory = path.toLowerCase() === ':memory:'
  const file = inMemory ? ':memory:' : resolve(path)
  try {
    if (!inMemory) await mkdir(dirname(file), { recursive: true })
    const client = new Database(file, { timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS })
    try {
      // The change to WAL needs the file for itself, and SQLite's busy timeout does not wait for that.
      await patiently(classifySqlite, async () => client.pragma('journal_mode = WAL'))
      // better-sqlite3 makes NORMAL the default under WAL: a power cut would take acknowledged writes.
      client.pragma('synchronous = FULL')
      return {
        driver: await connectDriver(drizzle(client), { ...options, busyTimeoutMs: undefined }),
        close: () => void client.close(),
      }
    } catch (error) {
      client.close()
      throw error
    }
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    throw new HoldfastError(
      'STORAGE_FAILED',
      `SQLite could not open ${file}: ${(error as Error)?.message}`,
      { cause: error },
    )
  }
}
