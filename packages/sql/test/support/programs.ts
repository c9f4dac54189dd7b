import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Builds the programs of `test/programs` from the sources, core included, so that ten processes start
 * quickly. They lie below node_modules, from where the database clients are found as a user's are.
 */
export async function buildPrograms(...names: string[]): Promise<Programs> {
  const cache = here('../../node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'programs-'))
  await build({
    entry: Object.fromEntries(names.map((name) => [name, here(`../programs/${name}.ts`)])),
    outDir: folder,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'node20',
    platform: 'node',
    config: false,
    silent: true,
    dts: false,
    noExternal: [/^@holdfast\//],
    // Of the programs' own Node: `node:test` without its prefix would be a package.
    removeNodeProtocol: false,
    external: [
      /^drizzle-orm/,
      /^(better-sqlite3|mysql2|pg|postgres)$/,
      /^@(electric-sql|libsql)\//,
    ],
    esbuildOptions(options) {
      options.alias = {
        '@holdfast/core/adapter': here('../../../core/src/adapter.ts'),
        '@holdfast/core/encryption': here('../../../core/src/encryption.ts'),
        '@holdfast/core': here('../../../core/src/index.ts'),
        '@holdfast/conformance': here('../../../../test-suites/conformance/src/index.ts'),
      }
    },
  })
  return new Programs(folder)
}

export class Programs {
  readonly folder: string
  readonly #running = new Set<ChildProcess>()

  constructor(folder: string) {
    this.folder = folder
  }

  /** Starts a program; `folder` is where its file is, if it was copied. */
  start(
    name: string,
    args: readonly string[],
    folder = this.folder,
    node = process.execPath,
  ): Program {
    const child = spawn(node, [join(folder, `${name}.mjs`), ...args], { cwd: folder })
    this.#running.add(child)
    child.once('exit', () => this.#running.delete(child))
    return new Program(child)
  }

  remove(): void {
    for (const child of this.#running) child.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export class Program {
  readonly child: ChildProcess
  readonly ended: Promise<{ code: number | null; output: string }>
  #output = ''
  #changed: () => void = () => {}

  constructor(child: ChildProcess) {
    this.child = child
    const collect = (chunk: Buffer) => {
      this.#output += chunk.toString()
      this.#changed()
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    this.ended = new Promise((resolve) => {
      child.once('close', (code) => {
        this.#changed()
        resolve({ code, output: this.#output })
      })
    })
  }

  /** Waits until it has printed `text`; fails with what it printed if it ends before. */
  async said(text: string): Promise<void> {
    while (!this.#output.includes(text)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`The program ended without saying ${text}: ${this.#output}`)
      }
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
  }
}
