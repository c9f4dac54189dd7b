import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

export interface Bundle {
  /** The program of that name, ready for plain node. */
  readonly path: (name: string) => string
  remove(): void
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Bundles programs of this folder with the sources of the packages: a process that compiles TypeScript as
 * it starts takes a second of CPU to do so, and a test that kills fifty of them would take minutes.
 */
export async function bundle(...names: readonly string[]): Promise<Bundle> {
  // Inside this workspace, so that the bundle finds the database clients.
  const modules = join(ROOT, 'node_modules')
  mkdirSync(modules, { recursive: true })
  const folder = mkdtempSync(join(modules, '.bundle-'))
  await build({
    config: false,
    silent: true,
    entry: names.map((name) => join(ROOT, 'src/processes', `${name}.ts`)),
    outDir: folder,
    format: 'esm',
    outExtension: () => ({ js: '.mjs' }),
    target: 'node20',
    tsconfig: join(ROOT, 'tsconfig.json'),
    noExternal: [/^@holdfast\//],
    external: [
      ...['better-sqlite3', /^drizzle-orm/, '@electric-sql/pglite', /^@libsql\//, 'pg', 'postgres'],
      ...[/^mysql2/, 'ioredis', 'mongodb', /^@aws-sdk\//],
    ],
    dts: false,
    clean: false,
  })
  return {
    path: (name) => join(folder, `${name}.mjs`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
