import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

export interface Bundle {
  /** The program, as plain JavaScript. */
  readonly app: string
  remove(): void
}

/** Builds the program out of the sources as they are: child processes need plain JavaScript, and `dist` may be old. */
export async function bundle(): Promise<Bundle> {
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
  return {
    app: join(outDir, 'main.mjs'),
    remove: () => rmSync(outDir, { recursive: true, force: true }),
  }
}
