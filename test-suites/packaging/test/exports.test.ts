import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { packList } from '../src/npm.ts'
import { published, requireBuild, type Workspace } from '../src/repository.ts'

/** Every file that an exports map leads to. */
function targets(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Object.values(value as Record<string, unknown>).flatMap(targets)
}

/** The JavaScript entries of a package: subpath and the file that `condition` leads to. */
function entries({ manifest }: Workspace, condition: 'import' | 'require'): [string, string][] {
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, value]) => {
    const branch = (value as Record<string, { default?: string }>)[condition]
    return branch?.default ? [[subpath, branch.default] as [string, string]] : []
  })
}

const normal = (path: string) => path.replace(/^[.][/]/, '')

describe.each(published().map((workspace) => ({ name: workspace.manifest.name, workspace })))(
  '$name',
  ({ workspace }) => {
    const { manifest, folder } = workspace

    it('packs every file that its manifest names', async () => {
      const files = new Set((await packList(workspace)).files.map(({ path }) => path))
      const named = [
        ...targets(manifest.exports),
        ...targets(manifest.bin ?? {}),
        ...[manifest.main, manifest.module, manifest.types].filter((path) => path !== undefined),
      ].map(normal)
      expect(named.length).toBeGreaterThan(4)
      expect(named.filter((path) => !files.has(path))).toEqual([])
      expect([...files]).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE']))
    })

    it('packs nothing else than what is built, its commands, manifest, README and licence', async () => {
      const { files } = await packList(workspace)
      const commands = targets(manifest.bin ?? {}).map(normal)
      const strange = files
        .map(({ path }) => path)
        .filter(
          (path) =>
            !/^(dist[/].*|package[.]json|README[.]md|LICENSE|CHANGELOG[.]md)$/.test(path) &&
            !commands.includes(path),
        )
      expect(strange).toEqual([])
    })

    it('has types beside every entry, for import and for require', () => {
      for (const [subpath, value] of Object.entries(manifest.exports ?? {})) {
        if (typeof value === 'string') continue
        const branches = value as Record<'import' | 'require', { types: string; default: string }>
        expect([subpath, ...Object.keys(branches)]).toEqual([subpath, 'import', 'require'])
        expect(branches.import.types).toBe(branches.import.default.replace(/[.]js$/, '.d.ts'))
        expect(branches.require.types).toBe(branches.require.default.replace(/[.]cjs$/, '.d.cts'))
        // A condition is taken in order: behind `default`, types are never found.
        expect(Object.keys(branches.import)).toEqual(['types', 'default'])
        expect(Object.keys(branches.require)).toEqual(['types', 'default'])
      }
      expect(manifest.sideEffects).toBe(false)
      expect(manifest.engines?.['node']).toBe('>=20.19.0')
    })

    it('exports the same names from ESM and from CommonJS, and none is undefined', async () => {
      requireBuild(workspace)
      const require = createRequire(import.meta.url)
      const commonJs = new Map(entries(workspace, 'require'))
      const modules = entries(workspace, 'import')
      expect(modules.length).toBeGreaterThan(0)
      for (const [subpath, file] of modules) {
        const esm = (await import(
          /* @vite-ignore */ pathToFileURL(join(folder, file)).href
        )) as Record<string, unknown>
        const cjs = require(join(folder, commonJs.get(subpath) ?? '')) as Record<string, unknown>
        const names = Object.keys(esm)
          .filter((name) => name !== 'default')
          .sort()
        expect(names.length).toBeGreaterThan(0)
        expect(
          Object.keys(cjs)
            .filter((name) => name !== 'default')
            .sort(),
        ).toEqual(names)
        expect(names.filter((name) => esm[name] === undefined)).toEqual([])
      }
    })

    it('leaves the packages it depends on outside of its own files', () => {
      requireBuild(workspace)
      const files = readdirSync(join(folder, 'dist')).filter((name) =>
        /[.](js|cjs|d[.]c?ts)$/.test(name),
      )
      const text = (pattern: RegExp) =>
        files
          .filter((name) => pattern.test(name))
          .map((name) => readFileSync(join(folder, 'dist', name), 'utf8'))
          .join('\n')
      const code = text(/[.]c?js$/)
      const types = text(/[.]d[.]c?ts$/)
      expect(code).not.toMatch(/\.\.\/core\/src/)
      expect(types).not.toMatch(/\.\.\/core\/src|from ['"][^'"]*[.]ts['"]/)
      if (manifest.name === '@holdfast/core') {
        expect(manifest.dependencies ?? {}).toEqual({})
        expect(manifest.peerDependencies ?? {}).toEqual({})
        return
      }
      expect(types).toMatch(/from ['"]@holdfast\/core['"]/)
      // Declared here, a class of core would be a second one beside the user's.
      expect(code).not.toMatch(/class HoldfastError\b/)
      expect(types).not.toMatch(/declare class HoldfastError\b/)
      expect(types).not.toMatch(/interface (SessionDriver|StoredSession|AgentMemory)\b/)
    })

    it('has a README that opens with its name', () => {
      const file = join(folder, 'README.md')
      expect([file, existsSync(file)]).toEqual([file, true])
      expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^# ${manifest.name}\\n`))
    })
  },
)
