/**
 * Which way imports point (docs/design.md, "Layout"). Types count as imports: a direction that only
 * types break is broken all the same, except where a rule below says otherwise. Each rule is shown to
 * fail in test-suites/packaging/test/import-directions.test.ts.
 */

const core = '^packages/core/src'
const adapters = '^packages/(?!core/)'
const file = (name) => `${core}/${name}[.]ts$`

/** The rooms of core's sources. */
const bottom = [`${core}/contracts/`, `${core}/(errors|json|ids|turns|abort|late-request)[.]ts$`]
const memory = `${core}/memory/`
const compaction = `${core}/compaction/`
const sessions = `${core}/sessions/`
const runtime = `${core}/runtime/`
const storage = `${core}/storage/`
const driver = file('driver')
const encryption = file('encryption')
const adapter = [`${core}/adapter/`, file('adapter')]
const modelClient = [`${core}/model-client/`, file('model-client')]

/** Inside core, `room` imports itself, the bottom and what `allowed` names. */
const only = (name, room, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: room },
  to: { path: core, pathNot: [...[room].flat(), ...bottom, ...allowed] },
})

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Modules that load each other see half of each other. Types may: they load nothing.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'driver-contract-imports-nothing',
      comment: 'The page that a backend author reads stands alone.',
      severity: 'error',
      from: { path: driver },
      to: {},
    },
    {
      name: 'core-has-no-dependency',
      comment: 'Core runs wherever JavaScript runs: no package, and nothing of Node.',
      severity: 'error',
      from: { path: core },
      to: { pathNot: core },
    },
    only(
      'contracts-are-the-bottom',
      bottom,
      [],
      'Contracts, errors, json, ids, turns, abort and late-request are what every other room stands on.',
    ),
    only('memory-stands-on-contracts', memory, [], 'contracts, errors, json ← memory'),
    only('compaction-stands-on-memory', compaction, [memory], 'contracts ← memory ← compaction'),
    only(
      'sessions-import-neither-runtime-nor-storage',
      sessions,
      [memory, compaction],
      'A session receives an AgentRuntime from contracts, and its memory from outside.',
    ),
    only(
      'runtime-never-imports-storage',
      runtime,
      [memory, compaction, sessions],
      'The loop sees AgentMemory, never what is behind it.',
    ),
    only(
      'storage-imports-no-runtime',
      storage,
      [memory, sessions, driver, encryption],
      'storage → contracts, driver, memory (shared rules), sessions (the fold)',
    ),
    {
      name: 'storage-takes-types-of-encryption',
      comment: 'Who stores in the clear does not load the cipher.',
      severity: 'error',
      from: { path: storage },
      to: { path: encryption, dependencyTypesNot: ['type-only'] },
    },
    only(
      'encryption-stands-on-contracts',
      encryption,
      [],
      '@holdfast/core/encryption is loaded by itself.',
    ),
    only(
      'adapter-stands-on-contracts',
      adapter,
      [file('storage/storage-options')],
      '@holdfast/core/adapter is loaded beside index, not through it.',
    ),
    only(
      'model-client-stands-on-contracts',
      modelClient,
      [],
      '@holdfast/core/model-client is loaded by itself.',
    ),
    only(
      'segments-stand-on-the-driver',
      [file('segments'), `${core}/segments/`],
      [driver],
      '@holdfast/core/segments is the one value that a driver imports.',
    ),
    {
      name: 'index-is-the-door',
      comment: 'index.ts only re-exports: a module inside that imports it imports everything.',
      severity: 'error',
      from: { path: '^(packages/[^/]+|test-suites/conformance)/src/' },
      to: { path: '^$1/src/index[.]ts$' },
    },
    {
      name: 'adapter-driver-imports-types-of-core',
      comment: 'A driver is I/O: of core it takes types, and the segments technique.',
      severity: 'error',
      from: { path: `${adapters}[^/]+/src/.*driver[.]ts$` },
      to: { path: core, pathNot: file('segments'), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'adapters-are-leaves',
      comment: 'Nothing imports an adapter but apps, benchmarks, examples, docs and tests.',
      severity: 'error',
      from: {
        pathNot: [
          '^(apps|benchmarks|examples|docs)/',
          '^test-suites/(faults|packaging|services)/',
          '/test/',
          adapters,
        ],
      },
      to: { path: adapters },
    },
    {
      name: 'adapters-know-nothing-of-each-other',
      comment: 'A user installs one adapter and its client.',
      severity: 'error',
      from: { path: '^packages/((?!core/)[^/]+)/src/' },
      to: { path: adapters, pathNot: '^packages/$1/' },
    },
    {
      name: 'packages-meet-at-their-doors',
      comment: 'Another package is imported by its name, as a user imports it.',
      severity: 'error',
      from: {
        path: '^(packages/[^/]+|test-suites/[^/]+|apps/[^/]+|examples/[^/]+|benchmarks|docs)/',
      },
      to: {
        path: '^(packages|test-suites|apps|examples)/[^/]+/',
        pathNot: [
          '^$1/',
          `${core}/(index|adapter|encryption|model-client|segments)[.]ts$`,
          `${adapters}[^/]+/src/(index|schema)[.]ts$`,
          '^test-suites/(conformance|services)/src/index[.]ts$',
          // A local endpoint for whoever tests a model client.
          '^packages/openai/test/support/',
          '^examples/[^/]+/src/',
        ],
      },
    },
    {
      name: 'examples-serve-readers-and-tests',
      comment:
        'What is published stands on no example; the fault tests and benchmarks try them too.',
      severity: 'error',
      from: { pathNot: '^(examples|docs|benchmarks)/|^test-suites/(faults|packaging)/|/test/' },
      to: { path: '^examples/' },
    },
    {
      name: 'src-imports-no-test',
      comment: 'What is published never reaches into tests, nor into the broken implementations.',
      severity: 'error',
      from: {
        path: '^(packages/[^/]+|apps/[^/]+|test-suites/[^/]+|benchmarks)/src/',
        pathNot: '/broken/',
      },
      to: { path: '/(test|broken)/', pathNot: 'node_modules' },
    },
    {
      name: 'published-src-uses-no-dev-dependency',
      comment: 'A user who installs the package does not get it.',
      severity: 'error',
      from: { path: '^(packages/[^/]+|test-suites/conformance)/src/', pathNot: '/broken/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm', 'npm-peer'] },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere, or to a package that no manifest names.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules'] },
    exclude: { path: ['/dist/', '[.]blocks/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
}
