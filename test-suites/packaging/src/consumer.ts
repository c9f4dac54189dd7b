import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { binary, run, runOk } from './command.ts'
import { root } from './repository.ts'
import { writeFiles } from './temporary.ts'

/** One way in which TypeScript users resolve packages. */
export interface Resolution {
  readonly name: string
  readonly options: Readonly<Record<string, unknown>>
  /** Whether the emitted JavaScript is run by node as it is; else it is bundled first. */
  readonly emit: boolean
}

export const resolutions: readonly Resolution[] = [
  { name: 'node16', options: { module: 'node16', moduleResolution: 'node16' }, emit: true },
  { name: 'nodenext', options: { module: 'nodenext', moduleResolution: 'nodenext' }, emit: true },
  { name: 'bundler', options: { module: 'esnext', moduleResolution: 'bundler' }, emit: false },
  {
    name: 'bundler, preserve',
    options: { module: 'preserve', moduleResolution: 'bundler' },
    emit: false,
  },
]

export interface TypeScriptProject {
  /** An npm project with the packages installed. */
  readonly folder: string
  readonly resolution: Resolution
  /** Source files by name; `.mts` and `.cts` are compiled to ESM and CommonJS. */
  readonly sources: Readonly<Record<string, string>>
  readonly compilerOptions: Readonly<Record<string, unknown>>
  readonly external?: readonly string[]
}

/** Type-checks the sources strictly as a user's compiler would, runs each, and answers what they print. */
export async function compileAndRun(project: TypeScriptProject): Promise<string[]> {
  const { folder, resolution, sources, compilerOptions, external = [] } = project
  const name = resolution.name.replaceAll(/\W+/g, '-')
  const source = join(folder, name)
  const output = join(source, 'out')
  mkdirSync(output, { recursive: true })
  writeFiles(source, {
    ...sources,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        strict: true,
        outDir: 'out',
        ...resolution.options,
        ...compilerOptions,
      },
      files: Object.keys(sources),
    }),
  })
  await runOk(process.execPath, [binary('typescript', 'tsc'), '-p', source], { cwd: source })
  const printed: string[] = []
  for (const file of Object.keys(sources)) {
    const script = resolution.emit
      ? join(output, file.replace(/ts$/, 'js'))
      : await bundle(join(source, file), join(output, `${file}.mjs`), external)
    const { stdout } = await runOk(process.execPath, [script], { cwd: source })
    printed.push(stdout.trim())
  }
  return printed
}

async function bundle(
  entry: string,
  outfile: string,
  external: readonly string[],
): Promise<string> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: [...external],
    logLevel: 'silent',
  })
  return outfile
}

/** Whether a program that TypeScript must refuse is refused, with what it says. */
export async function typeErrors(
  folder: string,
  sources: Readonly<Record<string, string>>,
  compilerOptions: Readonly<Record<string, unknown>>,
): Promise<string> {
  writeFiles(folder, {
    ...sources,
    'tsconfig.json': JSON.stringify({
      compilerOptions: { strict: true, noEmit: true, ...compilerOptions },
      files: Object.keys(sources),
    }),
  })
  const { output } = await run(process.execPath, [binary('typescript', 'tsc'), '-p', folder], {
    cwd: folder,
  })
  return output
}

/** `@types/node` without installing it: the repository's own. */
export const nodeTypes = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] }
