import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linesOf } from './command.ts'
import { exists, inRepository, pages, parse, root } from './markdown.ts'
import { programs } from './programs.ts'

const all = pages()
const byFile = new Map(all.map((page) => [page.file, page]))

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, unknown>>
  readonly scripts?: Readonly<Record<string, string>>
}

const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest

/** Every import path that a published package has, and the names of private ones, for `npm run … -w`. */
function importPaths(): Set<string> {
  const folders = ['packages', 'test-suites', 'apps'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  )
  return new Set(
    folders
      .filter((folder) => exists(join(root, folder, 'package.json')))
      .map(manifest)
      .flatMap(({ name, private: hidden, exports = {} }) =>
        hidden
          ? [name]
          : Object.keys(exports).map((path) => join(name, path).replaceAll('\\', '/')),
      ),
  )
}

describe('what the docs refer to', () => {
  it('links lead to files and headings that exist', () => {
    const dead: string[] = []
    for (const page of all) {
      for (const { target, line } of page.links) {
        if (/^(https?:|mailto:)/.test(target)) continue
        const [path = '', anchor] = target.split('#')
        const file = path === '' ? page.file : inRepository(resolve(root, dirname(page.file), path))
        const missing = !exists(join(root, file))
        const linked = byFile.get(file)
        const lost = anchor !== undefined && linked !== undefined && !linked.anchors.has(anchor)
        if (missing || lost) dead.push(`${page.file}:${line}: ${target}`)
      }
    }
    expect(dead).toEqual([])
  })

  it('import paths in prose and code are exported', () => {
    const paths = importPaths()
    const strange = all.flatMap(({ file, text }) =>
      [...text.matchAll(/@holdfast\/[a-z][a-z0-9-]*(?:\/[a-z-]+)*/g)]
        .map(([path]) => path)
        .filter((path) => !paths.has(path))
        // docs/design.md speaks of packages to come.
        .filter(() => file !== 'docs/design.md')
        .map((path) => `${file}: ${path}`),
    )
    expect(strange).toEqual([])
  })

  it('npm scripts that are named exist', () => {
    const scripts = manifest('.').scripts ?? {}
    const strange = all.flatMap(({ file, text }) =>
      [...text.matchAll(/\bnpm run ([a-z:-]+)\b(?! -w)/g)]
        .map(([, name = '']) => name)
        .filter((name) => !(name in scripts))
        .map((name) => `${file}: npm run ${name}`),
    )
    expect(strange).toEqual([])
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test']))
  })

  it('sizes are the budgets that `npm run check:size` keeps', () => {
    const budgets = JSON.parse(readFileSync(join(root, '.size-limit.json'), 'utf8')) as {
      readonly name: string
      readonly limit: string
    }[]
    const limit = (name: string) => budgets.find((one) => one.name === name)?.limit
    const claims = all.flatMap(({ file, text }) =>
      text
        .split('\n')
        .filter((line) => line.includes('npm run check:size') && / kB\b/.test(line))
        .map((line) => [file, [...line.matchAll(/at most ([\d.]+ kB)/g)].map(([, size]) => size)]),
    )
    const core = [limit('core, InMemoryAgentMemory alone'), limit('core, everything')]
    expect(claims).toEqual([
      ['README.md', core],
      ['packages/core/README.md', core],
    ])
    // No other sentence of these pages may name a size of code.
    const sizes = ['README.md', 'packages/core/README.md'].flatMap((file) =>
      [...(byFile.get(file)?.text ?? '').matchAll(/[\d.]+ kB/g)].map(([size]) => size),
    )
    expect(sizes).toEqual([...core, ...core])
  })

  it('packed files that are named have the version that `npm pack` gives them', () => {
    const named = all.flatMap(({ text }) =>
      [...text.matchAll(/holdfast-([a-z][a-z0-9-]*?)-(\d[\w.-]*)\.tgz/g)].map(
        ([file, name = '']) => ({
          file,
          packed: `holdfast-${name}-${manifest(`packages/${name}`).version}.tgz`,
        }),
      ),
    )
    for (const { file, packed } of named) expect(file).toBe(packed)
  })

  it('every error code has its heading in docs/errors.md, and no other', () => {
    const source = readFileSync(join(root, 'packages/core/src/errors.ts'), 'utf8')
    const union = /HoldfastErrorCode =([\s\S]*?)\n\n/.exec(source)?.[1] ?? ''
    const codes = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code = '']) => code)
    expect(codes).toContain('INVALID_ARGUMENT')
    const headings = (byFile.get('docs/errors.md')?.headings ?? [])
      .map((heading) => heading.replaceAll('`', ''))
      .filter((heading) => /^[A-Z][A-Z_]+$/.test(heading))
    expect(headings.toSorted()).toEqual(codes.toSorted())
  })
})

describe('how pages are read', () => {
  it('finds blocks, links and anchors, and nothing inside of code', () => {
    const page = parse(
      'docs/x.md',
      '# A `B` c\n\n# A `B` c\n\n[x](y.md#z) `[no](no.md)` [`code`](code.md)\n\n```ts run\n// [no](no.md)\n# no\n```\n',
    )
    expect([...page.anchors]).toEqual(['a-b-c', 'a-b-c-1'])
    expect(page.links.map(({ target }) => target)).toEqual(['y.md#z', 'code.md'])
    expect(page.blocks).toEqual([
      {
        file: 'docs/x.md',
        line: 7,
        language: 'ts',
        marks: ['run'],
        code: '// [no](no.md)\n# no\n',
      },
    ])
  })

  it('takes every line that a program promises, empty ones too', () => {
    const { blocks } = parse(
      'x.md',
      '```ts run\n// prints: a\n// prints:\nf() // prints: b  c\n```\n',
    )
    expect(programs(blocks)[0]?.prints).toEqual(['a', '', 'b  c'])
    expect(linesOf('a\n\nb  c \n')).toEqual(['a', '', 'b  c'])
    expect(linesOf('')).toEqual([])
  })

  it('refuses a promise of a program that is not run', () => {
    const { blocks } = parse('x.md', '```ts\nf()\n// prints: a\n```\n')
    expect(() => programs(blocks)).toThrow(/x\.md:1.*not run/)
  })

  it('refuses a block that is never closed', () => {
    expect(() => parse('x.md', '```ts\n')).toThrow(/x\.md:1/)
  })
})
