import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run, runOk } from '../src/command.ts'
import { compileAndRun, nodeTypes, resolutions, typeErrors } from '../src/consumer.ts'
import { installedPackages, kilobytes, sizeOf } from '../src/installed.ts'
import { installedVersion, pack } from '../src/npm.ts'
import { install, installOrSkip, project } from '../src/project.ts'
import { workspaceOf } from '../src/repository.ts'
import { remove, temporaryFolder, writeFiles } from '../src/temporary.ts'

const useCore = `
async function main() {
  const memory = new InMemoryAgentMemory()
  const agent = createAgent({ modelClient: scriptedModel([{ text: 'pong' }]), model: 'scripted' })
  const { text } = await agent.run('ping', { memory })
  await createStorage(new MemoryDriver()).memory('s').addUserInput('kept')
  console.log(text, (await memory.getItems()).length)
}
main()
`
const coreNames = 'InMemoryAgentMemory, MemoryDriver, createAgent, createStorage, scriptedModel'
const coreEsm = `import { ${coreNames} } from '@holdfast/core'\nimport { aesGcm } from '@holdfast/core/encryption'\nimport { retryAfterMs } from '@holdfast/core/model-client'\nvoid aesGcm\nvoid retryAfterMs\n${useCore}`
const coreCommonJs = `const { ${coreNames} } = require('@holdfast/core')\nrequire('@holdfast/core/encryption')\nrequire('@holdfast/core/model-client')\n${useCore}`
const coreTypes = `import type { AgentItem, AgentMemory, SessionDriver } from '@holdfast/core'
export const first = async (memory: AgentMemory): Promise<AgentItem | undefined> => (await memory.getItems())[0]
export type Driver = SessionDriver
`

const useSql = `
async function main() {
  const storage = await openSql('sqlite:./' + process.argv[1].replace(/\\W+/g, '-').slice(-40) + '.db')
  const memory = storage.memory('s')
  await memory.addUserInput('kept')
  const items = await memory.getItems()
  await storage.close()
  console.log('items', items.length, items[0] instanceof Error || typeof HoldfastError)
}
main()
`
const sqlNames =
  "import { HoldfastError } from '@holdfast/core'\nimport { openSql } from '@holdfast/sql'\n"
const sqlCommonJs =
  "const { HoldfastError } = require('@holdfast/core')\nconst { openSql } = require('@holdfast/sql')\n"

let parent: string
let core: string
beforeAll(async () => {
  parent = temporaryFolder()
  core = await pack(workspaceOf('@holdfast/core'), join(parent, 'tarballs'))
})
afterAll(() => remove(parent))

describe('core alone in an empty project', () => {
  let folder: string
  beforeAll(async () => {
    folder = project(parent, 'core-alone')
    // Nothing to fetch: it has no dependency.
    await install(folder, '--offline', core)
  })

  it('is the only thing that is installed', () => {
    expect(installedPackages(folder)).toEqual(['@holdfast/core'])
    console.log(`installed size, core alone: ${kilobytes(sizeOf(join(folder, 'node_modules')))}`)
  })

  it('runs as ESM and as CommonJS', async () => {
    writeFiles(folder, { 'esm.mjs': coreEsm, 'commonjs.cjs': coreCommonJs })
    for (const file of ['esm.mjs', 'commonjs.cjs']) {
      const { stdout } = await runOk(process.execPath, [file], { cwd: folder })
      expect(stdout.trim()).toBe('pong 2')
    }
  })

  it('shows nothing that its exports do not name', async () => {
    writeFiles(folder, { 'deep.mjs': "await import('@holdfast/core/dist/index.js')\n" })
    const { code, output } = await run(process.execPath, ['deep.mjs'], { cwd: folder })
    expect(code).not.toBe(0)
    expect(output).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })

  it.each(resolutions)(
    'type-checks and runs under $name, with Node’s types',
    async (resolution) => {
      const printed = await compileAndRun({
        folder,
        resolution,
        sources: { 'main.mts': coreTypes + coreEsm, 'main.cts': coreTypes + coreEsm },
        compilerOptions: { ...nodeTypes, lib: ['es2022'], skipLibCheck: false },
      })
      expect(printed).toEqual(['pong 2', 'pong 2'])
    },
  )

  it('type-checks with a browser’s types and without Node’s', async () => {
    const sources = { 'browser.ts': coreTypes + coreEsm }
    const options = {
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2022',
      types: [],
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
    }
    expect(await typeErrors(folder, sources, { ...options, lib: ['es2022', 'dom'] })).toBe('')
    // The check itself can fail: a name that core does not have.
    expect(
      await typeErrors(
        folder,
        { 'browser.ts': "import { Missing } from '@holdfast/core'\nvoid Missing\n" },
        { ...options, lib: ['es2022', 'dom'] },
      ),
    ).toContain('TS2305')
  })
})

describe('core and sql in an empty project', () => {
  let folder: string
  let skipped: string | undefined
  const drizzle = `drizzle-orm@${installedVersion('drizzle-orm')}`
  const driver = `better-sqlite3@${installedVersion('better-sqlite3')}`

  beforeAll(async () => {
    folder = project(parent, 'core-sql')
    const sql = await pack(workspaceOf('@holdfast/sql'), join(parent, 'tarballs'))
    skipped = await installOrSkip(undefined, folder, core, sql, drizzle)
  })

  it('brings nothing else of the repository, and loads without any database driver', async (context) => {
    if (skipped) return context.skip(skipped)
    expect(installedPackages(folder)).toEqual(['@holdfast/core', '@holdfast/sql', 'drizzle-orm'])
    const bytes = ['@holdfast/core', '@holdfast/sql'].map((name) =>
      sizeOf(join(folder, 'node_modules', name)),
    )
    console.log(
      `installed size, core + sql: ${kilobytes(bytes.reduce((sum, one) => sum + one, 0))} of ours, ` +
        `${kilobytes(sizeOf(join(folder, 'node_modules')))} with drizzle-orm`,
    )
    writeFiles(folder, {
      'driverless.mjs': `import { openSql } from '@holdfast/sql'
        await openSql('sqlite:./x.db').then(() => console.log('opened'), (error) => console.log(error.code, error.message))
      `,
    })
    const { stdout } = await runOk(process.execPath, ['driverless.mjs'], { cwd: folder })
    expect(stdout).toMatch(/^[A-Z_]+ /)
    expect(stdout).toContain('npm install better-sqlite3')
  })

  it('works with better-sqlite3 as ESM, CommonJS and TypeScript', async (context) => {
    if (skipped) return context.skip(skipped)
    await installOrSkip(context, folder, driver)
    expect(installedPackages(folder).filter((name) => name.startsWith('@holdfast/'))).toEqual([
      '@holdfast/core',
      '@holdfast/sql',
    ])
    console.log(
      `installed size, core + sql + drizzle-orm + better-sqlite3: ${kilobytes(sizeOf(join(folder, 'node_modules')))}`,
    )
    writeFiles(folder, { 'esm.mjs': sqlNames + useSql, 'commonjs.cjs': sqlCommonJs + useSql })
    for (const file of ['esm.mjs', 'commonjs.cjs']) {
      const { stdout } = await runOk(process.execPath, [file], { cwd: folder })
      expect(stdout.trim()).toBe('items 1 function')
    }
    const source = sqlNames + useSql.replaceAll('process.argv[1]', "(process.argv[1] ?? '')")
    for (const resolution of resolutions) {
      const printed = await compileAndRun({
        folder,
        resolution,
        sources: { 'main.mts': source, 'main.cts': source },
        // drizzle-orm's own types name packages that are not installed.
        compilerOptions: { ...nodeTypes, lib: ['es2022'], skipLibCheck: true },
        external: [
          'better-sqlite3',
          'drizzle-orm',
          '@electric-sql/pglite',
          '@libsql/client',
          'mysql2',
          'pg',
          'postgres',
        ],
      })
      expect([resolution.name, ...printed]).toEqual([
        resolution.name,
        'items 1 function',
        'items 1 function',
      ])
    }
  })
})
