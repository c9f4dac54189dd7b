import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The built program. */
    app: string
  }
}

/** Builds the program once, out of the sources as they are: child processes need plain JavaScript, and `dist` may be old. */
export default async function setup(project: TestProject): Promise<() => void> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  // Below node_modules, so that what is not bundled is found from there.
  const cache = join(root, '../../node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const outDir = mkdtempSync(join(cache, 'assistant-'))
  await build({
    config: false,
    entry: { main: join(root, 'src/main.ts') },
    tsconfig: join(root, 'tsconfig.json'),
    outDir,
    format: ['esm'],
    target: 'node20',
    platform: 'node',
    outExtension: () => ({ js: '.mjs' }),
    skipNodeModulesBundle: true,
    noExternal: [/^@holdfast\//],
    silent: true,
    clean: false,
  })
  project.provide('app', join(outDir, 'main.mjs'))
  return () => rmSync(outDir, { recursive: true, force: true })
}
