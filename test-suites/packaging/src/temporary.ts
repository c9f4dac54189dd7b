import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A fresh folder outside the repository, so that nothing of it is found by looking upwards. */
export const temporaryFolder = (): string =>
  realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-packaging-')))

export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/** Writes files given by path relative to `folder`, making folders as needed. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}
