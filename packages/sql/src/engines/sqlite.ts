import { resolve } from 'node:path'
import type { HoldfastError } from '@holdfast/core'
import { invalid, loadPeer } from '@holdfast/core/adapter'
import type { DatabaseSync } from '../clients/node-sqlite.ts'
import { classifySqlite } from '../dialects/sqlite-errors.ts'
import type { SqliteClient } from '../dialects/sqlite-statements.ts'
import type { CheckedOptions } from '../options.ts'
import { patiently } from '../setup.ts'
import { connectDriver } from '../sql-storage.ts'
import { isInMemory, MEMORY, openDatabaseFile } from './database-file.ts'
import type { Engine, Opened } from './engine.ts'
import { orClose } from './or-close.ts'

const INSTALL = 'npm install better-sqlite3 drizzle-orm'
/** Longer than any of our transactions takes; shorter than a person notices that the event loop stands still. */
const BUSY_TIMEOUT_MS = 250

/** SQLite in a file or in memory, through better-sqlite3 or what Node has built in. */
export const sqlite: Engine = {
  schemes: ['sqlite'],
  example: 'sqlite:./agent.db',
  takesPath: true,
  clients: ['better-sqlite3', 'node:sqlite'],
  open: openSqlite,
}

/** A file that is open: the client, and the same as `connectDriver` takes it. */
interface OpenFile {
  readonly client: Pick<SqliteClient, 'prepare'> & { close(): void }
  readonly db: object
}

type OpenClient = (file: string) => OpenFile

async function openSqlite(path: string, options: CheckedOptions): Promise<Opened> {
  if (path === '') {
    throw invalid(
      "The URL has no path: use 'sqlite:./agent.db', or 'sqlite::memory:' for a database in memory.",
    )
  }
  const open = await chosen(options)
  return openDatabaseFile('SQLite', isInMemory(path) ? MEMORY : resolve(path), async (file) => {
    const { client, db } = open(file)
    const pragma = (text: string) => client.prepare(`PRAGMA ${text}`).get()
    return orClose(client, async () => {
      pragma(`busy_timeout = ${options.busyTimeoutMs ?? BUSY_TIMEOUT_MS}`)
      // The change to WAL needs the file for itself, and SQLite's busy timeout does not wait for that.
      await patiently(classifySqlite, async () => pragma('journal_mode = WAL'))
      // better-sqlite3 makes NORMAL the default under WAL: a power cut would take acknowledged writes.
      client.prepare('PRAGMA synchronous = FULL').run()
      const driver = await connectDriver(db, { ...options, busyTimeoutMs: undefined })
      return { driver, close: () => client.close() }
    })
  })
}

/** What Node has built in needs no installation, but blocks longer and is marked experimental: it comes second. */
async function chosen({ client }: CheckedOptions): Promise<OpenClient> {
  if (client === 'node:sqlite') return nodeSqlite()
  try {
    return await betterSqlite3()
  } catch (error) {
    const missing = (error as HoldfastError).code === 'INVALID_ARGUMENT'
    if (client !== undefined || !missing || !builtIn()) throw error
    return nodeSqlite()
  }
}

async function betterSqlite3(): Promise<OpenClient> {
  const { default: Database } = await loadPeer(() => import('better-sqlite3'), INSTALL)
  const { drizzle } = await loadPeer(() => import('drizzle-orm/better-sqlite3'), INSTALL)
  return (file) => {
    const client = new Database(file, { timeout: 0 })
    return { client, db: drizzle(client) }
  }
}

interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => DatabaseSync
}

/** Asked for, not imported: a bundler would look for it, and Node 20 has none. */
const builtIn = () => process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined

async function nodeSqlite(): Promise<OpenClient> {
  const module = builtIn()
  if (!module) {
    throw invalid(
      `Node ${process.versions.node} has no node:sqlite: use Node 22.13 or later, or another client. Run: ${INSTALL}`,
    )
  }
  const { NodeSqliteDatabase } = await loadPeer(
    () => import('../clients/node-sqlite.ts'),
    'npm install drizzle-orm',
  )
  return (file) => {
    const client = new module.DatabaseSync(file)
    return { client, db: new NodeSqliteDatabase(client) }
  }
}
