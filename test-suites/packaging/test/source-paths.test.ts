import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shared } from '../../../vitest.shared.ts'
import { exists, published, readJson, root } from '../src/repository.ts'

interface Entry {
  readonly name: string
  /** Where its source is, made from what its manifest says is built. */
  readonly source: string
}

/** Every import path that users have, and the source behind it. */
const entries: readonly Entry[] = published().flatMap(({ path, manifest }) =>
  Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) => {
    if (typeof target === 'string') return []
    const built = (target as { import: { default: string } }).import.default
    return {
      name: join(manifest.name, subpath).replaceAll('\\', '/'),
      source: `${path}/${built.replace('./dist/', 'src/').replace(/[.]js$/, '.ts')}`,
    }
  }),
)

describe('tests and type-checks run on the sources', () => {
  const { paths } = readJson<{ compilerOptions: { paths: Record<string, string[]> } }>(
    join(root, 'tsconfig.base.json'),
  ).compilerOptions
  const aliases = shared.resolve?.alias as { find: RegExp; replacement: string }[]

  it.each(entries)('of $name', ({ name, source }) => {
    expect(exists(join(root, source))).toBe(true)
    expect(paths[name]).toEqual([`./${source}`])
    expect(
      aliases.filter(({ find }) => find.test(name)).map(({ replacement }) => replacement),
    ).toEqual([join(root, source)])
  })

  it('and name nothing that users do not have, but the servers of the tests', () => {
    const names = [...entries.map(({ name }) => name), '@holdfast/services']
    expect(Object.keys(paths).toSorted()).toEqual(names.toSorted())
    expect(aliases.length).toBe(names.length)
  })
})
