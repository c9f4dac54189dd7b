import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const { resolve } = createRequire(import.meta.url)

/** `pg 8.23.1`: the package as it is installed. Its package.json need not be among its exports. */
export function versionOf(name: string): string {
  let folder = dirname(resolve(name))
  while (!existsSync(join(folder, 'package.json')) || nameIn(folder) !== name) {
    folder = dirname(folder)
  }
  return `${name} ${read(folder).version}`
}

const read = (folder: string): { name?: string; version?: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const nameIn = (folder: string) => read(folder).name
