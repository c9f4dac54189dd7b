import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { npm } from './npm.ts'
import { writeFiles } from './temporary.ts'

/** An empty npm project; `type` decides what a plain `.ts` or `.js` file is. */
export function project(parent: string, name: string): string {
  const folder = join(parent, name)
  mkdirSync(folder, { recursive: true })
  writeFiles(folder, { 'package.json': JSON.stringify({ name, private: true, type: 'module' }) })
  return realpathSync(folder)
}

export const install = (folder: string, ...what: string[]) =>
  npm(
    ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...what],
    folder,
  )

/** The registry is out of reach: a laptop on a train may skip what needs it, a build machine may not. */
export async function installOrSkip(
  context: TestContext | undefined,
  folder: string,
  ...what: string[]
) {
  try {
    await install(folder, ...what)
    return undefined
  } catch (error) {
    const offline = /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ENOTCACHED/.test(String(error))
    if (!offline || process.env['CI']) throw error
    context?.skip('the registry cannot be reached')
    return 'the registry cannot be reached'
  }
}
