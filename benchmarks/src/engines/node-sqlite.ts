import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Unavailable } from '@holdfast/services'
import { openSql } from '@holdfast/sql'
import { type BareSqliteClient, bareSqlite, SQLITE_APPEND } from '../bare/sqlite.ts'
import type { Engine } from '../engine.ts'
import { freshFolder } from '../folder.ts'

interface DatabaseSync extends BareSqliteClient {
  close(): void
}

/** Its name in a variable: the types of the oldest Node that this runs on do not know it. */
const MODULE = 'node:sqlite'

async function database(file: string): Promise<DatabaseSync> {
  try {
    const { DatabaseSync } = (await import(MODULE)) as {
      DatabaseSync: new (file: string) => DatabaseSync
    }
    return new DatabaseSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error
    throw new Unavailable(`Node ${process.versions.node} has no node:sqlite; Node 22.13 has`)
  }
}

export async function nodeSqlite(): Promise<Engine> {
  const folder = freshFolder()
  try {
    const theirs = await database(join(folder, 'bare.db'))
    theirs.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    const storage = await openSql(`sqlite:${join(folder, 'ours.db')}`, { client: 'node:sqlite' })
    return {
      name: 'SQLite, node:sqlite',
      version: `Node.js ${process.versions.node}, SQLite ${process.versions['sqlite']}`,
      bareAppend: SQLITE_APPEND,
      goals: { append: 2 },
      storage,
      bare: bareSqlite(theirs),
      async close() {
        await storage.close()
        theirs.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}
