import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Names of the installed packages of an npm project, scoped ones as `@scope/name`; nested ones too. */
export function installedPackages(folder: string): string[] {
  const modules = join(folder, 'node_modules')
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`)
        : [name],
    )
    .sort()
}

/** Bytes of all files below a path; links are not followed. */
export function sizeOf(path: string): number {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

export const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`
