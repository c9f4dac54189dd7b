import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Finished, runOk } from './command.ts'
import { readJson, requireBuild, root, type Workspace } from './repository.ts'

/** One file of a tarball, as `npm pack --json` lists it. */
export interface PackedFile {
  readonly path: string
  readonly size: number
}

export interface Packed {
  readonly filename: string
  readonly files: readonly PackedFile[]
  /** Bytes of the tarball. */
  readonly size: number
}

/** The npm that started the tests, as a script: Windows starts no `.cmd` file without a shell. */
const started = process.env['npm_execpath']
const npmScript = started && /npm-cli[.]js$/.test(started) ? started : undefined

/** npm's settings for this run: no network where the cache has it, no chatter; compiled once where ccache is. */
function environment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env }
  // Set by the npm that runs the tests: they name the repository's own folders.
  for (const name of Object.keys(env)) if (/^npm_(?!config_)/i.test(name)) delete env[name]
  for (const name of ['npm_config_local_prefix', 'npm_config_workspace', 'npm_config_prefix']) {
    delete env[name]
  }
  if (hasCcache()) {
    env['CC'] ??= 'ccache gcc'
    env['CXX'] ??= 'ccache g++'
    env['CCACHE_NOHASHDIR'] ??= '1'
  }
  return env
}

let ccache: boolean | undefined

function hasCcache(): boolean {
  if (ccache === undefined) {
    try {
      execFileSync('ccache', ['--version'], { stdio: 'ignore' })
      ccache = true
    } catch {
      ccache = false
    }
  }
  return ccache
}

export const npm = (args: readonly string[], cwd: string): Promise<Finished> =>
  npmScript
    ? runOk(process.execPath, [npmScript, ...args], { cwd, env: environment() })
    : runOk('npm', args, { cwd, env: environment() })

/** What the tarball of a workspace would hold. */
export async function packList(workspace: Workspace): Promise<Packed> {
  requireBuild(workspace)
  const { stdout } = await npm(
    ['pack', '--dry-run', '--json', '--ignore-scripts'],
    workspace.folder,
  )
  return onlyEntry(JSON.parse(stdout))
}

/** Writes the tarball of a workspace and answers its path. */
export async function pack(workspace: Workspace, destination: string): Promise<string> {
  requireBuild(workspace)
  mkdirSync(destination, { recursive: true })
  const { stdout } = await npm(
    ['pack', '--json', '--ignore-scripts', '--pack-destination', destination],
    workspace.folder,
  )
  return join(destination, onlyEntry(JSON.parse(stdout)).filename)
}

function onlyEntry(answer: readonly Packed[]): Packed {
  const [entry] = answer
  if (!entry) throw new Error('npm pack answered nothing')
  return entry
}

/** The version of a package that the repository itself has installed. */
export const installedVersion = (name: string): string =>
  readJson<{ version: string }>(join(root, 'node_modules', name, 'package.json')).version
