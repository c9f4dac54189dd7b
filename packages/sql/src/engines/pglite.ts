import { mkdir, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { HoldfastError } from '@holdfast/core'
import { loadPeer } from '@holdfast/core/adapter'
import type { CheckedOptions } from '../options.ts'
import { lockFolder } from '../pglite-lock.ts'
import { connectDriver } from '../sql-storage.ts'
import { couldNotOpen, isInMemory } from './database-file.ts'
import type { Engine, Opened } from './engine.ts'

const INSTALL = 'npm install @electric-sql/pglite drizzle-orm'

/** PostgreSQL inside this process, in a folder or in memory, through PGlite. */
export const pglite: Engine = {
  schemes: ['pglite'],
  example: 'pglite:./folder',
  takesPath: true,
  open: openPglite,
}

async function openPglite(path: string, options: CheckedOptions): Promise<Opened> {
  const { PGlite } = await loadPeer(() => import('@electric-sql/pglite'), INSTALL)
  const { drizzle } = await loadPeer(() => import('drizzle-orm/pglite'), INSTALL)
  const open = async (folder?: string): Promise<Opened> => {
    const client = new PGlite(folder)
    try {
      await client.waitReady
      return { driver: await connectDriver(drizzle(client), options), close: () => client.close() }
    } catch (error) {
      if (client.ready) await client.close()
      throw error
    }
  }
  if (path === '' || isInMemory(path)) return open()

  const given = resolve(path)
  try {
    await mkdir(given, { recursive: true })
    // Two paths to one folder must meet in one lock.
    const folder = await realpath(given)
    const lock = await lockFolder(folder)
    if ('heldBy' in lock) throw held(folder, lock.heldBy)
    try {
      const { driver, close } = await open(folder)
      return {
        driver,
        close: async () => {
          try {
            await close()
          } finally {
            await lock.release()
          }
        },
      }
    } catch (error) {
      await lock.release()
      throw error
    }
  } catch (error) {
    throw couldNotOpen('PGlite', given, error)
  }
}

/** A second PGlite would open without a word, and each would overwrite the other's pages. */
const held = (folder: string, pid: string) =>
  new HoldfastError(
    'CONFLICT',
    `The PGlite folder ${folder} is open already, in process ${pid}. Only one storage can have it at a time: close that one first, share it, or choose another folder.`,
  )
