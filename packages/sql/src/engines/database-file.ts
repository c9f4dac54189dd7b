import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HoldfastError } from '@holdfast/core'
import type { Opened } from './engine.ts'

/** What the engines call a database that is in no file. */
export const MEMORY = ':memory:'

export const isInMemory = (path: string): boolean => path.toLowerCase() === MEMORY

/** Opens a database in `file`, whose folder is made, or in memory; what fails is `STORAGE_FAILED` and names engine and file. */
export async function openDatabaseFile(
  engine: string,
  file: string,
  open: (file: string) => Promise<Opened>,
): Promise<Opened> {
  try {
    if (file !== MEMORY) await mkdir(dirname(file), { recursive: true })
    return await open(file)
  } catch (error) {
    throw couldNotOpen(engine, file, error)
  }
}

export function couldNotOpen(engine: string, place: string, error: unknown): unknown {
  if (error instanceof HoldfastError) return error
  return new HoldfastError(
    'STORAGE_FAILED',
    `${engine} could not open ${place}: ${(error as Error)?.message}`,
    { cause: error },
  )
}
