import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '')

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly type?: string
  readonly sideEffects?: boolean
  readonly main?: string
  readonly module?: string
  readonly types?: string
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly files?: readonly string[]
  readonly engines?: Readonly<Record<string, string>>
  readonly workspaces?: readonly string[]
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface Workspace {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  readonly folder: string
  readonly manifest: Manifest
}

export const exists = existsSync

export const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T

/** Every workspace that the root manifest names. */
export function workspaces(): Workspace[] {
  const { workspaces: patterns = [] } = readJson<Manifest>(join(root, 'package.json'))
  return patterns
    .flatMap((pattern) => {
      if (!pattern.endsWith('/*')) return [join(root, pattern)]
      const parent = join(root, pattern.slice(0, -2))
      return readdirSync(parent).map((name) => join(parent, name))
    })
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({
      path: relative(root, folder).replaceAll('\\', '/'),
      folder,
      manifest: readJson<Manifest>(join(folder, 'package.json')),
    }))
}

/** The packages that go to the registry. */
export const published = (): Workspace[] => workspaces().filter(({ manifest }) => !manifest.private)

/** What is built is checked here; a missing build is the caller's slip, so the message says what to do. */
export function requireBuild(workspace: Workspace): void {
  if (!existsSync(join(workspace.folder, 'dist'))) {
    throw new Error(
      `${workspace.path}/dist is missing: run \`npm run build\` (npm test does) first.`,
    )
  }
}

/** The published workspace of that name. */
export function workspaceOf(name: string): Workspace {
  const found = published().find(({ manifest }) => manifest.name === name)
  if (!found) throw new Error(`no workspace ${name}`)
  return found
}
