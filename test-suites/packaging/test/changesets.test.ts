import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { binary, runOk } from '../src/command.ts'
import {
  type Manifest,
  published,
  readJson,
  root,
  type Workspace,
  workspaces,
} from '../src/repository.ts'
import { remove, temporaryFolder, writeFiles } from '../src/temporary.ts'

const fields = ['dependencies', 'devDependencies', 'peerDependencies'] as const

/** The ranges that a manifest has for packages of this repository. */
const ranges = (manifest: Manifest): [string, string][] =>
  fields.flatMap((field) =>
    Object.entries(manifest[field] ?? {}).filter(([name]) => name.startsWith('@holdfast/')),
  )

const next = (version: string, part: 'minor' | 'patch'): string => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return part === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`
}

/** A trial repository on a branch of its own: every manifest and the changesets, nothing else. */
async function trial(folder: string, changesets: 'ours' | Record<string, string>): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const name of ['package.json', 'package-lock.json'])
    cpSync(join(root, name), join(folder, name))
  for (const { path } of workspaces()) {
    mkdirSync(join(folder, path), { recursive: true })
    cpSync(join(root, path, 'package.json'), join(folder, path, 'package.json'))
  }
  mkdirSync(join(folder, '.changeset'))
  cpSync(join(root, '.changeset/config.json'), join(folder, '.changeset/config.json'))
  if (changesets === 'ours') {
    cpSync(join(root, '.changeset'), join(folder, '.changeset'), { recursive: true })
  } else writeFiles(join(folder, '.changeset'), changesets)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  writeFiles(folder, { '.gitignore': 'node_modules\n' })
  const git = (...args: string[]) =>
    runOk('git', ['-c', 'user.name=trial', '-c', 'user.email=trial@example.com', ...args], {
      cwd: folder,
    })
  await git('init', '--quiet', '--initial-branch=main')
  await git('add', '.')
  await git('commit', '--quiet', '--message=trial')
  await git('checkout', '--quiet', '-b', 'trial')
  await runOk(process.execPath, [binary('@changesets/cli', 'changeset'), 'version'], {
    cwd: folder,
  })
}

const manifestIn = (folder: string, { path }: Workspace): Manifest =>
  readJson<Manifest>(join(folder, path, 'package.json'))

describe('changesets', () => {
  let parent: string
  beforeAll(() => {
    parent = temporaryFolder()
  })
  afterAll(() => remove(parent))

  it('a minor of core bumps each published dependent by a patch and every range', async () => {
    const folder = join(parent, 'minor')
    await trial(folder, { 'core.md': "---\n'@holdfast/core': minor\n---\n\nA trial.\n" })
    const before = workspaces()
    const versions = new Map(
      before.map((one) => [one.manifest.name, manifestIn(folder, one).version]),
    )

    for (const workspace of before) {
      const { name, version } = workspace.manifest
      const expected =
        name === '@holdfast/core'
          ? next(version, 'minor')
          : workspace.manifest.private
            ? version
            : next(version, 'patch')
      expect([name, versions.get(name)]).toEqual([name, expected])
      for (const [dependency, range] of ranges(manifestIn(folder, workspace))) {
        expect([name, dependency, range]).toEqual([
          name,
          dependency,
          `^${versions.get(dependency)}`,
        ])
      }
    }
    expect(before.flatMap(({ manifest }) => ranges(manifest)).length).toBeGreaterThan(5)
    expect(readdirSync(join(folder, '.changeset'))).toEqual(['config.json'])
  })

  it('the changesets of this repository release what they name', async () => {
    const folder = join(parent, 'ours')
    await trial(folder, 'ours')
    const pending = readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md'))
    const bumped = published().filter(
      (workspace) => manifestIn(folder, workspace).version !== workspace.manifest.version,
    )
    expect(bumped.length > 0).toBe(pending.length > 0)
  })

  it('every range of this repository takes the version that is in the tree', () => {
    const versions = new Map(workspaces().map(({ manifest }) => [manifest.name, manifest.version]))
    for (const { manifest } of workspaces()) {
      for (const [dependency, range] of ranges(manifest)) {
        expect([manifest.name, dependency, range]).toEqual([
          manifest.name,
          dependency,
          `^${versions.get(dependency)}`,
        ])
      }
    }
  })

  it('the lock file names no registry and knows every workspace', () => {
    const lock = readJson<{
      packages: Record<string, { resolved?: string; version?: string }>
    }>(join(root, 'package-lock.json'))
    const hosts = Object.entries(lock.packages).filter(([, entry]) =>
      /^https?:/.test(entry.resolved ?? ''),
    )
    expect(hosts.map(([name]) => name)).toEqual([])
    for (const { path, manifest } of workspaces()) {
      expect([path, lock.packages[path]?.version]).toEqual([path, manifest.version])
    }
  })
})
