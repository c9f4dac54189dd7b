import { randomBytes } from 'node:crypto'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Puts `content` in the place of the file at `path`, whole or not at all: a process that is killed in the
 * middle leaves the old file. Answers whether there was none. A link of that name is replaced, never followed.
 */
export async function replaceFile(path: string, content: string): Promise<boolean> {
  const old = await lstat(path).catch(() => undefined)
  const name = `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`
  const temporary = join(dirname(path), name)
  try {
    const handle = await open(temporary, 'wx', old?.isFile() ? old.mode & 0o777 : 0o644)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return old === undefined
}
