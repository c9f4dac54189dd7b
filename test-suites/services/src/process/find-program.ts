import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Unavailable } from '../service.ts'

/** Where packages put servers without putting them on `PATH`. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/sbin']
const POSTGRES = '/usr/lib/postgresql'

/** Debian keeps each version of PostgreSQL in a folder of its own; the newest first. */
function postgresFolders(): string[] {
  try {
    return readdirSync(POSTGRES)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(POSTGRES, version, 'bin'))
  } catch {
    return []
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The file of the first of `names` that is on `PATH` or where servers are installed; throws `Unavailable` where none is. */
export function findProgram(...names: readonly string[]): string {
  if (process.platform === 'win32') {
    throw new Unavailable('servers are not started on Windows')
  }
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const folders = [...onPath, ...SYSTEM_FOLDERS, ...postgresFolders()]
  for (const name of names) {
    const found = folders.map((folder) => join(folder, name)).find(isProgram)
    if (found) return found
  }
  throw new Unavailable(`no ${names.join(' or ')} on PATH`)
}
