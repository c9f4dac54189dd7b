import { copyFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { binary, run } from '../src/command.ts'
import { root } from '../src/repository.ts'
import { remove, temporaryFolder, writeFiles } from '../src/temporary.ts'

/** A small tree of the repository's shape in which every import points the right way. */
const right: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "fixture", "private": true }',
  'packages/core/package.json':
    '{ "name": "@holdfast/core", "devDependencies": { "helper": "1.0.0" } }',
  'packages/core/src/index.ts':
    "export * from './runtime/agent.ts'\nexport * from './storage/storage.ts'\n",
  'packages/core/src/driver.ts': 'export interface SessionDriver { id: string }\n',
  'packages/core/src/errors.ts': 'export const invalid = 1\n',
  'packages/core/src/json.ts': "export { invalid as json } from './errors.ts'\n",
  'packages/core/src/ids.ts': "export { invalid as ids } from './errors.ts'\n",
  'packages/core/src/contracts/item.ts':
    "export type { SnapshotType } from './snapshot.ts'\nexport type Item = 1\n",
  'packages/core/src/contracts/snapshot.ts':
    "import type { Item } from './item.ts'\nexport type SnapshotType = Item\n",
  'packages/core/src/memory/memory.ts':
    "import type { Item } from '../contracts/item.ts'\nexport const memory: Item = 1\n",
  'packages/core/src/compaction/policy.ts':
    "export { memory as policy } from '../memory/memory.ts'\n",
  'packages/core/src/sessions/session.ts':
    "export { policy as session } from '../compaction/policy.ts'\n",
  'packages/core/src/runtime/agent.ts':
    "export { session as agent } from '../sessions/session.ts'\n",
  'packages/core/src/storage/storage.ts':
    "import type { SessionDriver } from '../driver.ts'\nimport type { Encryption } from '../encryption.ts'\nimport { memory } from '../memory/memory.ts'\nexport type Both = [SessionDriver, Encryption]\nexport const storage = memory\n",
  'packages/core/src/encryption.ts':
    "export { invalid as cipher } from './errors.ts'\nexport interface Encryption { key: string }\n",
  'packages/core/src/adapter.ts': "export { invalid } from './errors.ts'\n",
  'packages/core/src/model-client.ts': "export { retry } from './model-client/retry.ts'\n",
  'packages/core/src/model-client/retry.ts': "export { invalid as retry } from '../errors.ts'\n",
  'packages/core/src/segments.ts':
    "import type { SessionDriver } from './driver.ts'\nexport const segments = (driver: SessionDriver) => driver\n",
  'packages/core/test/core.test.ts': "import '../src/memory/memory.ts'\n",
  'packages/core/node_modules/helper/package.json':
    '{ "name": "helper", "version": "1.0.0", "main": "index.js" }',
  'packages/core/node_modules/helper/index.js': 'export const helper = 1\n',
  'packages/sql/package.json':
    '{ "name": "@holdfast/sql", "dependencies": { "@holdfast/core": "*" }, "devDependencies": { "helper": "1.0.0" } }',
  'packages/sql/src/index.ts':
    "import { memory } from '@holdfast/core'\nimport { driver } from './driver.ts'\nexport const open = [memory, driver]\n",
  'packages/sql/src/driver.ts':
    "import type { SessionDriver } from '@holdfast/core'\nexport const driver: SessionDriver = { id: '' }\n",
  'packages/sql/node_modules/helper/package.json':
    '{ "name": "helper", "version": "1.0.0", "main": "index.js" }',
  'packages/sql/node_modules/helper/index.js': 'export const helper = 1\n',
  'packages/redis/package.json': '{ "name": "@holdfast/redis" }',
  'packages/redis/src/index.ts': 'export const redis = 1\n',
  'test-suites/conformance/package.json': '{ "name": "@holdfast/conformance" }',
  'test-suites/conformance/src/index.ts': "export { agent } from '@holdfast/core'\n",
  'test-suites/conformance/test/broken/liar.ts': 'export const liar = 1\n',
  'test-suites/conformance/test/sql.test.ts': "import '@holdfast/sql'\nimport './broken/liar.ts'\n",
  'apps/assistant/package.json': '{ "name": "@holdfast/assistant" }',
  'apps/assistant/src/main.ts': "import '@holdfast/sql'\n",
}

/** Each wrong import: the rule that must name it, and what is changed in the right tree. */
const wrong: readonly { rule: string; change: string; files: Record<string, string> }[] = [
  {
    rule: 'no-cycle',
    change: 'two modules that load each other',
    files: {
      'packages/core/src/memory/memory.ts':
        "export { window } from './window.ts'\nexport const memory = 1\n",
      'packages/core/src/memory/window.ts': "export { memory as window } from './memory.ts'\n",
    },
  },
  {
    rule: 'driver-contract-imports-nothing',
    change: 'a type in the driver contract',
    files: {
      'packages/core/src/driver.ts':
        "import type { Item } from './contracts/item.ts'\nexport interface SessionDriver { id: Item }\n",
    },
  },
  {
    rule: 'core-has-no-dependency',
    change: 'a module of Node in core',
    files: { 'packages/core/src/ids.ts': "export { randomUUID } from 'node:crypto'\n" },
  },
  {
    rule: 'core-has-no-dependency',
    change: 'a package in core',
    files: { 'packages/core/src/ids.ts': "export { helper } from 'helper'\n" },
  },
  {
    rule: 'core-has-no-dependency',
    change: "a package's types in core",
    files: { 'packages/core/src/ids.ts': "export type { helper } from 'helper'\n" },
  },
  {
    rule: 'contracts-are-the-bottom',
    change: 'a type of memory in a contract',
    files: {
      'packages/core/src/contracts/snapshot.ts':
        "export type { memory as SnapshotType } from '../memory/memory.ts'\n",
    },
  },
  {
    rule: 'contracts-are-the-bottom',
    change: 'memory in json.ts',
    files: { 'packages/core/src/json.ts': "export { memory } from './memory/memory.ts'\n" },
  },
  {
    rule: 'memory-stands-on-contracts',
    change: 'storage in memory',
    files: {
      'packages/core/src/memory/memory.ts':
        "import type { Both } from '../storage/storage.ts'\nexport const memory: unknown = {} as Both\n",
    },
  },
  {
    rule: 'compaction-stands-on-memory',
    change: 'a session in compaction',
    files: {
      'packages/core/src/compaction/policy.ts':
        "import type { session } from '../sessions/session.ts'\nexport const policy: unknown = {} as typeof session\n",
    },
  },
  {
    rule: 'sessions-import-neither-runtime-nor-storage',
    change: 'the runtime in sessions',
    files: {
      'packages/core/src/sessions/session.ts':
        "import type { agent } from '../runtime/agent.ts'\nexport const session: unknown = {} as typeof agent\n",
    },
  },
  {
    rule: 'sessions-import-neither-runtime-nor-storage',
    change: 'storage in sessions',
    files: {
      'packages/core/src/sessions/session.ts':
        "export { storage as session } from '../storage/storage.ts'\n",
    },
  },
  {
    rule: 'runtime-never-imports-storage',
    change: 'storage in the runtime',
    files: {
      'packages/core/src/runtime/agent.ts':
        "export { storage as agent } from '../storage/storage.ts'\n",
    },
  },
  {
    rule: 'runtime-never-imports-storage',
    change: 'the driver contract in the runtime',
    files: {
      'packages/core/src/runtime/agent.ts':
        "import type { SessionDriver } from '../driver.ts'\nexport const agent = {} as SessionDriver\n",
    },
  },
  {
    rule: 'storage-imports-no-runtime',
    change: 'the runtime in storage',
    files: {
      'packages/core/src/storage/storage.ts':
        "export { agent as storage } from '../runtime/agent.ts'\n",
    },
  },
  {
    rule: 'storage-takes-types-of-encryption',
    change: 'the cipher itself in storage',
    files: {
      'packages/core/src/storage/storage.ts':
        "export { cipher as storage } from '../encryption.ts'\n",
    },
  },
  {
    rule: 'encryption-stands-on-contracts',
    change: 'storage in encryption',
    files: {
      'packages/core/src/encryption.ts':
        "export { memory as cipher } from './memory/memory.ts'\nexport interface Encryption { key: string }\n",
    },
  },
  {
    rule: 'adapter-stands-on-contracts',
    change: 'the runtime in what adapters share',
    files: {
      'packages/core/src/adapter.ts': "export { agent as invalid } from './runtime/agent.ts'\n",
    },
  },
  {
    rule: 'model-client-stands-on-contracts',
    change: 'the runtime in what model clients share',
    files: {
      'packages/core/src/model-client/retry.ts':
        "export { agent as retry } from '../runtime/agent.ts'\n",
    },
  },
  {
    rule: 'segments-stand-on-the-driver',
    change: 'storage in segments',
    files: {
      'packages/core/src/segments.ts':
        "export { storage as segments } from './storage/storage.ts'\n",
    },
  },
  {
    rule: 'index-is-the-door',
    change: 'a module of core that imports index.ts',
    files: {
      'packages/core/src/memory/memory.ts':
        "import type * as all from '../index.ts'\nexport const memory: unknown = {} as typeof all\n",
    },
  },
  {
    rule: 'adapter-driver-imports-types-of-core',
    change: 'a value of core in a driver',
    files: {
      'packages/sql/src/driver.ts':
        "import { memory } from '@holdfast/core'\nexport const driver = memory\n",
    },
  },
  {
    rule: 'adapters-are-leaves',
    change: 'an adapter in the conformance suite',
    files: {
      'test-suites/conformance/src/index.ts': "export { open as agent } from '@holdfast/sql'\n",
    },
  },
  {
    rule: 'adapters-know-nothing-of-each-other',
    change: 'one adapter in another',
    files: { 'packages/redis/src/index.ts': "export { open as redis } from '@holdfast/sql'\n" },
  },
  {
    rule: 'packages-meet-at-their-doors',
    change: "a path into another package's sources",
    files: {
      'apps/assistant/src/main.ts': "import '../../../packages/core/src/memory/memory.ts'\n",
    },
  },
  {
    rule: 'examples-serve-readers-and-tests',
    change: 'an example in an app',
    files: {
      'apps/assistant/src/main.ts': "import '../../../examples/folder/src/driver.ts'\n",
      'examples/folder/src/driver.ts': 'export const driver = 1\n',
    },
  },
  {
    rule: 'src-imports-no-test',
    change: 'a broken implementation in what is published',
    files: {
      'test-suites/conformance/src/index.ts': "export { liar } from '../test/broken/liar.ts'\n",
    },
  },
  {
    rule: 'published-src-uses-no-dev-dependency',
    change: 'a package that only developers have',
    files: { 'packages/sql/src/index.ts': "export { helper as open } from 'helper'\n" },
  },
  {
    rule: 'resolvable',
    change: 'an import that leads nowhere',
    files: { 'apps/assistant/src/main.ts': "import './missing.ts'\n" },
  },
]

/** Wrong imports in files of their own share a tree: one start of the tool instead of one for each. */
function batches(): (typeof wrong)[number][][] {
  const trees: (typeof wrong)[number][][] = []
  for (const entry of wrong) {
    const free = trees.find((tree) =>
      tree.every(({ files }) => Object.keys(files).every((file) => !(file in entry.files))),
    )
    if (free) free.push(entry)
    else trees.push([entry])
  }
  return trees
}

interface Violation {
  readonly from: string
  readonly rule: { readonly name: string }
}

const configFile = join(root, '.dependency-cruiser.cjs')

/** What the tool, started as `npm run lint:imports` starts it, says about a tree. */
async function violations(folder: string): Promise<readonly Violation[]> {
  const { stdout, output } = await run(
    process.execPath,
    [
      binary('dependency-cruiser', 'depcruise'),
      '--config',
      configFile,
      '--output-type',
      'json',
      'packages',
      'test-suites',
      'apps',
    ],
    { cwd: folder },
  )
  try {
    return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations
  } catch {
    throw new Error(output)
  }
}

describe('import directions', () => {
  let folder: string
  /** For each wrong import, what was said about the tree that holds it. */
  const found = new Map<(typeof wrong)[number], readonly Violation[]>()

  beforeAll(async () => {
    folder = temporaryFolder()
    for (const [index, entries] of batches().entries()) {
      const said = await violations(
        tree(`wrong-${index}`, Object.assign({}, ...entries.map(({ files }) => files))),
      )
      for (const entry of entries) found.set(entry, said)
    }
  })
  afterAll(() => remove(folder))

  function tree(name: string, changes: Record<string, string>): string {
    const target = join(folder, name)
    writeFiles(target, { ...right, ...changes })
    copyFileSync(join(root, 'tsconfig.base.json'), join(target, 'tsconfig.base.json'))
    return target
  }

  it('accepts a tree in which every import points the right way', async () => {
    expect(await violations(tree('right', {}))).toEqual([])
  })

  it.each(wrong)('$rule refuses $change', (entry) => {
    const inItsFiles = found.get(entry)?.filter(({ from }) => from in entry.files) ?? []
    expect(inItsFiles.map(({ rule }) => rule.name)).toContain(entry.rule)
  })

  it('has a wrong tree for every rule', () => {
    const { forbidden } = createRequire(import.meta.url)(configFile) as {
      forbidden: readonly { name: string; severity: string }[]
    }
    expect(new Set(wrong.map(({ rule }) => rule))).toEqual(
      new Set(forbidden.map(({ name }) => name)),
    )
    expect(new Set(forbidden.map(({ severity }) => severity))).toEqual(new Set(['error']))
  })
})
