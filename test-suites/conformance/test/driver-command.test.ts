import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, it } from 'vitest'

const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

let folder = ''

/** Packs a workspace as it would be published; answers the tarball. */
async function pack(path: string): Promise<string> {
  assert.ok(
    existsSync(join(path, 'dist/index.js')),
    `${path} is not built: run npm run build first`,
  )
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { cwd: path })
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  return join(folder, filename)
}

/** The installed command, in the folder where nothing else of this repository is. */
async function command(
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const bin = join(folder, 'node_modules/.bin/holdfast-conformance')
  try {
    const env = { ...process.env, NODE_OPTIONS: '', HOLDFAST_SEED: '' }
    const { stdout, stderr } = await run(bin, args, { cwd: folder, env, maxBuffer: 64 * 1_048_576 })
    return { code: 0, stdout, stderr }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}

const harness = (driver: string, rest = '') => `
import { MemoryDriver } from '@holdfast/core'
class Driver extends MemoryDriver { ${driver} }
const driver = new Driver()
export default { connect: async () => ({ driver, close: async () => {} }), ${rest} }
`

const OVERWRITES = `
async replace(id, next, expected) {
  return super.replace(id, next, expected ?? await this.read(id))
}
`

const closing = (body: string) => `
import { MemoryDriver } from '@holdfast/core'
const driver = new MemoryDriver()
export default { connect: async () => ({ driver, close() { ${body} } }) }
`

const connecting = (body: string) => `export default { connect() { ${body} } }`
const NEVER = 'return new Promise(() => {})'

const agentHarness = (rest: string) => `
import { createAgent, tool } from '@holdfast/core'
class Harness {
  model = 'scripted'
  createAgent = undefined
  run({ memory, tools, script, input }) {
    const options = { modelClient: script, model: this.model, modelRetries: 0, tools: tools.map(tool) }
    return createAgent(options).run(input, { memory })
  }
}
export default Object.assign(new Harness(), { ${rest} })
`

/** Harnesses that end a run early, or keep it from ending. */
const FAULTY = {
  'read never.js': harness(`read() { ${NEVER} }`, "limits: { 'read-back': 'slow' }"),
  'connect never.js': connecting(NEVER),
  'connect undefined.js': connecting('return undefined'),
  'connect rejects.js': connecting("throw new Error('no server')"),
  'connect exits.js': connecting('process.exit(0)'),
  'no close.js': `import { MemoryDriver } from '@holdfast/core'
    export default { connect: async () => ({ driver: new MemoryDriver() }) }`,
  'load never.js': 'await new Promise(() => {})\nexport default {}',
  'load exits.js': 'process.exit(0)',
  'close never.js': closing(NEVER),
  'close rejects.js': closing("return Promise.reject(new Error('still \\u001b[2Jbusy'))"),
  'close throws.js': closing("throw new Error('still busy')"),
  'close exits.js': closing('process.exit(0)'),
  'controls.js': harness(
    "async read() { throw new Error('\\u001b]0;title\\u0007\\u001b[31mred\\r\\u202egnp') }",
  ),
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast packed '))
  const tarballs = [await pack(here('../../../packages/core')), await pack(here('..'))]
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], {
    cwd: folder,
  })
  await writeFile(join(folder, 'good.js'), harness(''))
  await writeFile(join(folder, 'bad.js'), harness(OVERWRITES))
  const limits = "limits: { 'create-once': 'overwrites' }"
  await writeFile(join(folder, 'limited.js'), harness(OVERWRITES, limits))
  await writeFile(join(folder, 'stale limit.js'), harness('', limits))
  await writeFile(join(folder, 'nothing.js'), 'export const driver = 1')
  for (const [name, source] of Object.entries(FAULTY)) await writeFile(join(folder, name), source)
  await writeFile(
    join(folder, 'store.js'),
    `import { InMemoryAgentSessionStore } from '@holdfast/core'
     export default {
       processes: 1,
       open: async () => ({ store: new InMemoryAgentSessionStore(), close: async () => {} }),
     }`,
  )
  await writeFile(
    join(folder, 'bad store.js'),
    `import { InMemoryAgentSessionStore } from '@holdfast/core'
     class Store extends InMemoryAgentSessionStore { async listSessionIds() { return [] } }
     export default { processes: 1, open: async () => ({ store: new Store(), close: async () => {} }) }`,
  )
  await writeFile(
    join(folder, 'no store.js'),
    'export default { open: async () => ({ store: {}, close: async () => {} }) }',
  )
  await writeFile(join(folder, 'agent.js'), agentHarness('createAgent'))
  await writeFile(join(folder, 'loop.js'), agentHarness(''))
  const store = `processes: 1, open: async () => {
    const { InMemoryAgentSessionStore } = await import('@holdfast/core')
    return { store: new InMemoryAgentSessionStore(), close: async () => {} }
  }`
  await writeFile(join(folder, 'two kinds.js'), agentHarness(store))
  await writeFile(join(folder, 'three kinds.js'), agentHarness(`${store}, connect() {}`))
  await writeFile(
    join(folder, 'memory.js'),
    `import { InMemoryAgentMemory } from '@holdfast/core'
     export default {
       persistent: false, swap: 'lazy', snapshot: true,
       connect: async () => ({ open: (id, options) => new InMemoryAgentMemory(options), close: async () => {} }),
     }`,
  )
}, 180_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the command, installed from tarballs into an empty folder', () => {
  it('a session store: exit 0, its kind guessed or given; a wrong one: exit 1', async () => {
    for (const kind of [[], ['--kind', 'store']]) {
      const { code, stdout, stderr } = await command('./store.js', ...kind, '--seed', '3')
      assert.equal(code, 0, stdout.slice(-2_000) + stderr)
      assert.match(stdout, /^✓ store-round-trip: /m)
      assert.match(stdout, /^store: \d+ rules, \d+ runs: \d+ passed, 0 failed, .* \(seed 3\)$/m)
    }
    const bad = await command('./bad store.js', '--only', 'store-lists-all')
    assert.equal(bad.code, 1, bad.stdout + bad.stderr)
    const none = await command('./no store.js')
    assert.equal(none.code, 2, none.stdout + none.stderr)
    assert.match(none.stderr, /open\(\) answered a store whose save is undefined/)
  }, 120_000)

  it('a module of two kinds: each is tried where --kind names it', async () => {
    for (const [kind, rule] of [
      ['store', 'store-lists-all'],
      ['agent', 'agent-input-text'],
    ] as const) {
      const { code, stdout, stderr } = await command(
        ...['./two kinds.js', '--kind', kind, '--only', rule],
      )
      assert.equal(code, 0, stdout + stderr)
      assert.match(stdout, new RegExp(`^${kind}: 1 rules, 1 runs: 1 passed`, 'm'))
    }
  }, 60_000)

  it('an agent: exit 0; without createAgent the rules of sessions are not applicable', async () => {
    const whole = await command('./agent.js', '--seed', '3')
    assert.equal(whole.code, 0, whole.stdout.slice(-2_000) + whole.stderr)
    assert.match(whole.stdout, /^agent: \d+ rules, \d+ runs: \d+ passed, 0 failed, .* 0 not app/m)
    const loop = await command('./loop.js', '--kind', 'agent')
    assert.equal(loop.code, 0, loop.stdout.slice(-2_000) + loop.stderr)
    assert.match(loop.stdout, /^– agent-fold-is-memory: /m)
    assert.match(loop.stdout, /not applicable: the harness has no createAgent/)
  }, 120_000)

  it('a good driver: exit 0, a line per rule, totals and the seed', async () => {
    const { code, stdout, stderr } = await command('./good.js', '--seed', '11')
    assert.equal(code, 0, stdout.slice(-2_000) + stderr)
    assert.match(stdout, /^✓ read-back: .*\(2 runs\)$/m)
    assert.match(stdout, /^driver: \d+ rules, \d+ runs: \d+ passed, 0 failed, .* \(seed 11\)$/m)
    assert.match(stdout, /not applicable: the driver has no append/)
    assert.equal(stderr, '', 'progress is for terminals alone')
    assert.ok(!stdout.includes('\u001b'), 'colours are for terminals alone')
  }, 300_000)

  it('a bad driver: exit 1, and what was wrong', async () => {
    const { code, stdout } = await command(
      './bad.js',
      '--only',
      'create-once',
      '--only',
      'read-back',
    )
    assert.equal(code, 1)
    assert.match(stdout, /^✗ create-once: /m)
    assert.match(stdout, /^ {4}✗ driver: /m)
    assert.match(stdout, /^✓ read-back: /m)
    assert.match(stdout, /driver: 2 rules, 4 runs: 2 passed, 2 failed/)
  }, 60_000)

  it('--json is one object with a verdict per run', async () => {
    const { code, stdout } = await command('./bad.js', '--json', '--only', 'create-once')
    assert.equal(code, 1)
    const { kind, failed, verdicts } = JSON.parse(stdout)
    assert.deepEqual([kind, failed, verdicts.length], ['driver', 2, 2])
    assert.equal(verdicts[0].status, 'failed')
    assert.equal(typeof verdicts[0].error, 'string')
  }, 60_000)

  it('declared limits count, and must really fail', async () => {
    const limited = await command('./limited.js', '--only', 'create-once')
    assert.equal(limited.code, 0, limited.stdout)
    assert.match(limited.stdout, /declared limit: overwrites/)
    const stale = await command(join(folder, 'stale limit.js'), '--only', 'create-once')
    assert.equal(stale.code, 1)
    assert.match(stale.stdout, /did not fail: remove it/)
  }, 60_000)

  it('a memory is told from a driver by its properties', async () => {
    const { code, stdout } = await command('memory.js')
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^memory: \d+ rules/m)
  }, 60_000)

  it('a group may be named with the rule', async () => {
    const one = await command('./bad.js', '--only', 'driver without append/create-once')
    assert.equal(one.code, 1)
    assert.match(one.stdout, /driver: 1 rules, 1 runs: 0 passed, 1 failed/)
    const limited = await command('./limited.js', '--only', 'driver/create-once')
    assert.equal(limited.code, 0, limited.stdout)
    assert.match(limited.stdout, /1 runs: 0 passed, 0 failed, 1 declared limits/)
  }, 60_000)

  it('what never answers is failed after --timeout, a declared limit or not', async () => {
    const { code, stdout, stderr } = await command(
      ...['read never.js', '--timeout', '0.3', '--only', 'read-back', '--only', 'read-absent'],
    )
    assert.equal(code, 1)
    assert.match(stdout, /4 runs: 0 passed, 4 failed, 0 declared limits/)
    assert.match(stdout, /did not end within 0.3 s/)
    assert.match(stderr, /^driver\/read-back: the case did not end within 0.3 s$/m)
  }, 60_000)

  it('a harness that cannot be loaded or opened: exit 2, and why', async () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['connect never.js', /cannot be opened: connect\(\) did not end within 0.3 s/],
      ['connect undefined.js', /must answer \{ driver, close\(\) \}; it answered undefined/],
      ['connect rejects.js', /cannot be opened: no server/],
      ['connect exits.js', /ended before the run/],
      ['no close.js', /close is undefined, not a function/],
      ['load never.js', /loading did not end within 0.3 s/],
      ['load exits.js', /ended before the run/],
    ]
    for (const [path, said] of wrong) {
      const { code, stdout, stderr } = await command(path, '--timeout', '0.3')
      assert.equal(code, 2, path)
      assert.match(stderr, said)
      assert.equal(stdout, '')
    }
  }, 60_000)

  it('a close() that fails or never ends is a failed run, behind its report', async () => {
    const wrong: readonly (readonly [string, number, RegExp])[] = [
      ['close never.js', 1, /close\(\) failed: close\(\) did not end within 0.3 s/],
      ['close rejects.js', 1, /close\(\) failed: still \\u001b\[2Jbusy/],
      ['close throws.js', 1, /close\(\) failed: still busy/],
      ['close exits.js', 2, /ended before the run/],
    ]
    for (const [path, wanted, said] of wrong) {
      const run = await command(path, '--timeout', '0.3', '--only', 'read-absent', '--json')
      assert.equal(run.code, wanted, path)
      assert.match(run.stderr, said)
      assert.equal(JSON.parse(run.stdout).passed, 2)
    }
  }, 60_000)

  it('a reader that leaves early changes no exit code', async () => {
    const bin = join(folder, 'node_modules/.bin/holdfast-conformance')
    for (const [path, code] of [
      ['./memory.js', '0'],
      ['./bad.js', '1'],
    ] as const) {
      const only = path === './bad.js' ? '--only create-once' : ''
      const script = `'${bin}' ${path} ${only} --json | true; echo "code \${PIPESTATUS[0]}"`
      const { stdout, stderr } = await run('bash', ['-c', script], { cwd: folder })
      assert.equal(stdout, `code ${code}\n`, stderr)
      assert.equal(stderr, '')
    }
  }, 60_000)

  it('control characters of errors are printed, not obeyed', async () => {
    const { code, stdout } = await command('controls.js', '--only', 'driver/read-absent')
    assert.equal(code, 1)
    assert.ok(stdout.includes('driver: \\u001b]0;title\\u0007red\\u000d\\u202egnp\n'), stdout)
    assert.ok(![...stdout].some((it) => it !== '\n' && /\p{Cc}/u.test(it)))
  }, 60_000)

  it('--help explains; wrong usage is exit 2 and says what is wrong', async () => {
    const help = await command('--help')
    assert.equal(help.code, 0)
    assert.match(help.stdout, /Usage: holdfast-conformance/)
    const wrong: readonly (readonly [string[], RegExp])[] = [
      [[], /Name the module/],
      [['./good.js', './bad.js'], /One module/],
      [['./absent.js'], /cannot be loaded/],
      [['./nothing.js'], /must export by default/],
      [['./good.js', '--kind', 'shop'], /--kind is/],
      [['./good.js', '--kind', 'memory'], /a memory harness says/],
      [['./good.js', '--seed', 'x'], /--seed is/],
      [['./good.js', '--timeout', '0'], /--timeout is/],
      [['./good.js', '--timeout', 'soon'], /--timeout is/],
      [['./good.js', '--only', 'nowhere/create-once'], /no rule of the kind driver has that id/],
      [['./good.js', '--only', 'unheard-of'], /no rule of the kind driver has that id/],
      [['./agent.js', '--only', 'store-lists-all'], /no rule of the kind agent has that id/],
      [['./two kinds.js'], /has open\(\) \(store\) and run\(\) \(agent\): say by --kind/],
      [
        ['./three kinds.js'],
        /\(driver or memory\) and .*--kind.* \(driver, memory, store, agent\)/,
      ],
      [['./good.js', '--what'], /Unknown option/],
    ]
    for (const [args, said] of wrong) {
      const { code, stderr } = await command(...args)
      assert.equal(code, 2, args.join(' '))
      assert.match(stderr, said)
    }
  }, 120_000)
})
