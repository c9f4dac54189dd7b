import type { Dir, Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { isLeftOut } from './folder.ts'

/** Most names taken from one folder; a folder with a million files must not fill the memory. */
const MAX_NAMES = 20_000

/** Folders that a walk passes over, because what they hold is made from the rest; they can be listed and read. */
const GENERATED = new Set(['dist', 'coverage', '.turbo'])

/** What a folder holds, sorted by name, without what is left out. `more`: it holds more than was taken. */
export async function namesIn(directory: string): Promise<{ entries: Dirent[]; more: boolean }> {
  const entries: Dirent[] = []
  const dir: Dir = await opendir(directory)
  for await (const entry of dir) {
    if (isLeftOut(entry.name)) continue
    if (entries.length === MAX_NAMES) return { entries: sorted(entries), more: true }
    entries.push(entry)
  }
  return { entries: sorted(entries), more: false }
}

const sorted = (entries: Dirent[]): Dirent[] =>
  entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))

/**
 * Every folder and regular file below `directory`, depth first. Symbolic links are not followed: they
 * may lead out, or round in a circle. Folders that may not be read are passed over.
 */
export async function* walk(
  directory: string,
  signal?: AbortSignal,
): AsyncGenerator<{ path: string; isFolder: boolean }> {
  signal?.throwIfAborted()
  const found = await namesIn(directory).catch(() => undefined)
  for (const entry of found?.entries ?? []) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) {
      yield { path, isFolder: true }
      if (GENERATED.has(entry.name)) continue
      yield* walk(path, signal)
    } else if (entry.isFile()) {
      yield { path, isFolder: false }
    }
  }
}
