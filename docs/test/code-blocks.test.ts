import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linesOf, run } from './command.ts'
import { exists, pages, parse, root } from './markdown.ts'
import { programs } from './programs.ts'

const all = pages()
const modules = all.flatMap(({ blocks }) => programs(blocks))
const scripts = all.flatMap(({ blocks }) =>
  blocks.filter(({ language, marks }) => /^(sh|bash)$/.test(language) && marks.includes('run')),
)

/** Inside the repository, so that `@holdfast/*` and the clients resolve as they do for a user; one for each run. */
const folder = join(root, 'docs/.blocks', String(process.pid))
const tsc = join(root, 'node_modules/typescript/bin/tsc')

/** JavaScript for plain Node, which starts in a third of the time that a loader of TypeScript takes. */
const javascript = (code: string): string =>
  transpileModule(code, {
    compilerOptions: { target: ScriptTarget.ES2022, module: ModuleKind.ESNext },
  }).outputText

/** No setting of the person who runs the tests reaches an example. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(HOLDFAST_|OPENAI_|VITEST|NODE_OPTIONS)/.test(name),
    ),
  )
}

const project = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    // drizzle-orm's own types name packages that are not installed.
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ['node'],
  },
}

/** What a user's compiler may know of the platform: the lib of its target, which has the DOM, or Node alone. */
const libs = { 'the default lib': {}, 'Node alone': { lib: ['es2023'] } }

const projectOf = (lib: object, names: readonly string[]) =>
  JSON.stringify({
    compilerOptions: { ...project.compilerOptions, ...lib },
    files: names.filter((name) => name.endsWith('ts')),
  })

function write(files: Readonly<Record<string, string>>, into: string): void {
  mkdirSync(into, { recursive: true })
  for (const [name, code] of Object.entries(files)) writeFileSync(join(into, name), code)
  writeFileSync(join(into, 'tsconfig.json'), projectOf({}, Object.keys(files)))
}

let parent: string
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'holdfast-docs-'))
  if (!exists(join(root, 'packages/core/dist/index.d.ts'))) {
    throw new Error('packages/core/dist is missing: run `npm run build` (npm test does) first.')
  }
  rmSync(folder, { recursive: true, force: true })
  write(Object.fromEntries(modules.map(({ name, code }) => [name, code])), folder)
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(parent, { recursive: true, force: true })
})

describe('code blocks of the docs', () => {
  it('are there', () => {
    expect(modules.length).toBeGreaterThan(0)
    expect(modules.some((one) => one.run)).toBe(true)
  })

  it.each(Object.entries(libs))('type-check for a strict user of %s', async (name, lib) => {
    const config = join(folder, `tsconfig.${name.replaceAll(' ', '-')}.json`)
    writeFileSync(
      config,
      projectOf(
        lib,
        modules.map((one) => one.name),
      ),
    )
    const { output } = await run(process.execPath, [tsc, '-p', config], {
      cwd: root,
      timeoutMs: 120_000,
    })
    const named = modules.reduce(
      (text, { name, origin }) =>
        text.replaceAll(`docs/.blocks/${process.pid}/${name}`, `[block at ${origin}] ${name}`),
      output,
    )
    expect(named).toBe('')
  })

  it('would not type-check with a name that does not exist', async () => {
    const wrong = join(folder, 'wrong')
    const page = parse(
      'wrong.md',
      "```ts\nimport { Missing } from '@holdfast/core'\nvoid Missing\n```\n",
    )
    write(Object.fromEntries(programs(page.blocks).map(({ name, code }) => [name, code])), wrong)
    const { code, output } = await run(process.execPath, [tsc, '-p', wrong], { cwd: root })
    expect(code).not.toBe(0)
    expect(output).toContain('TS2305')
  })

  it.each(modules.filter((one) => one.run))(
    'run: $origin',
    async ({ name, code: source, prints }) => {
      const cwd = mkdtempSync(join(parent, 'run-'))
      const file = join(folder, `${name}.mjs`)
      writeFileSync(file, javascript(source))
      const { code, stdout, output } = await run(process.execPath, [file], {
        cwd,
        env: environment(),
      })
      expect([code, code === 0 ? '' : output]).toEqual([0, ''])
      // The whole of it: a line that the page does not show is one that its reader did not expect.
      expect(linesOf(stdout)).toEqual(prints)
    },
  )

  it.each(scripts.map((block) => ({ ...block, origin: `${block.file}:${block.line}` })))(
    'run: $origin',
    async ({ code: script }) => {
      const { code, output } = await run('bash', ['-euo', 'pipefail', '-c', script], {
        cwd: root,
        env: environment(),
      })
      expect([code, code === 0 ? '' : output]).toEqual([0, ''])
    },
  )
})
