import assert from 'node:assert/strict'
import { MemoryDriver } from '@holdfast/core'
import { describe, it } from 'vitest'
import {
  type BoundCase,
  bindCases,
  type Limits,
  runCases,
  type TestRunner,
  testSessionDriver,
} from '../src/index.ts'

const bound = (id: string, run: BoundCase['run'], rest: Partial<BoundCase> = {}): BoundCase => ({
  group: 'plain',
  id,
  name: `rule ${id}`,
  race: false,
  run,
  ...rest,
})

const good = bound('good', async () => undefined)
const bad = bound('bad', async () => assert.fail('broken'))
const race = bound('race', async () => undefined, { race: true })

/** A runner that keeps what is registered. */
function recording() {
  const tests = new Map<string, (...context: unknown[]) => Promise<void>>()
  const runner: TestRunner = {
    describe: (_, body) => body(),
    it: (name, body) => tests.set(name, body),
  }
  return { tests, runner }
}

async function registered(cases: readonly BoundCase[], limits: Limits) {
  const { tests, runner } = recording()
  bindCases('suite', cases, { limits, runner })
  return [...tests]
}

const code = (wanted: string) => (error: unknown) => (error as { code?: unknown }).code === wanted

describe('limits', () => {
  it('a declared limit must fail, and has its reason in its name', async () => {
    const [[title, run] = assert.fail()] = await registered([bad], { bad: 'no such thing here' })
    assert.match(title, /declared limit: no such thing here/)
    await run()
  })

  it('a declared limit that does not fail is a failure', async () => {
    const [[, run] = assert.fail()] = await registered([good], { good: 'thought so' })
    await assert.rejects(run(), /declared limit "good" did not fail: remove it/)
  })

  it('a limit may name one group', async () => {
    const other = { ...good, group: 'scoped', id: 'bad' }
    const verdicts = await runCases([bad, other], { limits: { 'plain/bad': 'only here' } })
    assert.deepEqual(
      verdicts.map((it) => it.status),
      ['limited', 'passed'],
    )
  })

  it('unknown ids, races and missing reasons are INVALID_ARGUMENT', async () => {
    for (const limits of [{ unheard: 'x' }, { race: 'x' }, { good: ' ' }]) {
      assert.throws(
        () => bindCases('suite', [good, race], { limits, runner: recording().runner }),
        code('INVALID_ARGUMENT'),
      )
      await assert.rejects(runCases([good, race], { limits }), code('INVALID_ARGUMENT'))
    }
  })
})

describe('what no limit excuses', () => {
  const limited = async (connect: unknown, id: string) => {
    const { sessionDriverSuite } = await import('../src/index.ts')
    const { cases, open } = sessionDriverSuite({ connect: connect as never })
    await assert.rejects(open())
    const [first] = cases.filter((it) => it.id === id)
    return (await runCases([first ?? assert.fail()], { limits: { [id]: 'cannot' } }))[0]
  }

  it('a connect() that rejects, or answers something else than a driver', async () => {
    const close = async () => {}
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [async () => undefined, /must answer \{ driver, close\(\) \}; it answered undefined/],
      [async () => ({ driver: new MemoryDriver() }), /close is undefined/],
      [async () => ({ close }), /driver is undefined/],
      [async () => ({ driver: { read: close, replace: close }, close }), /list is undefined/],
      [
        async () => ({ driver: { read: close, replace: close, list: close, append: 1 }, close }),
        /append is number/,
      ],
      [async () => assert.fail('no server'), /cannot be opened: no server/],
    ]
    for (const [connect, said] of wrong) {
      const verdict = await limited(connect, 'create-once')
      assert.equal(verdict?.status, 'failed')
      assert.match(String(verdict.error), said)
    }
  })

  it('a memory harness is checked, too', async () => {
    const { agentMemorySuite } = await import('../src/index.ts')
    const suite = (connect: unknown) =>
      agentMemorySuite({
        connect: connect as never,
        persistent: false,
        swap: 'lazy',
        snapshot: true,
      })
    await assert.rejects(suite(async () => null).open(), /it answered null/)
    await assert.rejects(suite(async () => ({ close() {} })).open(), /open is undefined/)
  })

  it('a case that never ends, or not in its time', async () => {
    const never = bound('never', () => new Promise(() => undefined))
    for (const limits of [{}, { never: 'slow' }]) {
      const [verdict, next] = await runCases([never, good], { limits, timeoutMs: 20 })
      assert.equal(verdict?.status, 'failed')
      assert.match(String(verdict.error), /did not end within 0.02 s/)
      assert.equal(next?.status, 'passed')
    }
  })
})

describe('closing', () => {
  it('closes every connection, though the first one fails to close', async () => {
    const { sessionDriverSuite } = await import('../src/index.ts')
    const closed: number[] = []
    let opened = 0
    const suite = sessionDriverSuite({
      async connect() {
        const number = ++opened
        return {
          driver: new MemoryDriver(),
          async close() {
            closed.push(number)
            if (number === 1) throw new Error('busy')
          },
        }
      },
    })
    await suite.open()
    await assert.rejects(suite.close(), /busy/)
    assert.deepEqual(closed, [1, 2])
  })
})

describe('binding', () => {
  it('a failing case fails its test', async () => {
    const [[, run] = assert.fail()] = await registered([bad], {})
    await assert.rejects(run(), /broken/)
  })

  it('a case that does not apply is skipped with its reason', async () => {
    const [[, run] = assert.fail()] = await registered([bound('n', async () => 'no append')], {})
    const reasons: unknown[] = []
    await run({ skip: (reason: unknown) => reasons.push(reason) })
    assert.deepEqual(reasons, ['no append'])
  })

  it('what is known not to apply is not run, and says so in its name', async () => {
    const skipped = { ...bad, skip: 'not persistent' }
    const [[title, run] = assert.fail()] = await registered([skipped], {})
    assert.match(title, /not applicable: not persistent/)
    await run({ skip() {} })
  })

  it('tests take no declared parameter: jest and mocha would wait for its call', async () => {
    const [[, run] = assert.fail()] = await registered([good], {})
    assert.equal(run.length, 0)
  })

  it('without a hook behind the last test, closing is a test of its own', async () => {
    const { tests, runner } = recording()
    let closed = false
    const close = async () => {
      closed = true
    }
    bindCases('suite', [good], { runner, close })
    await [...tests.values()].at(-1)?.()
    assert.ok(closed)
  })

  it('no runner at all is INVALID_ARGUMENT', () => {
    assert.throws(() => bindCases('suite', [good]), code('INVALID_ARGUMENT'))
    assert.throws(
      () => testSessionDriver('x', { connect: async () => assert.fail() }),
      code('INVALID_ARGUMENT'),
    )
  })
})

describe('running without a runner', () => {
  it('answers a verdict per case', async () => {
    const seen: string[] = []
    const verdicts = await runCases([good, bad, bound('n', async () => 'no append')], {
      onVerdict: (it) => seen.push(it.id),
    })
    assert.deepEqual(
      verdicts.map(({ id, status, reason }) => [id, status, reason]),
      [
        ['good', 'passed', undefined],
        ['bad', 'failed', undefined],
        ['n', 'skipped', 'no append'],
      ],
    )
    assert.deepEqual(seen, ['good', 'bad', 'n'])
  })
})

describe('the list of cases', () => {
  it('ids are unique in a group, kebab-case, and each rule is a sentence', async () => {
    const { sessionDriverSuite } = await import('../src/index.ts')
    const { cases } = sessionDriverSuite({ connect: async () => assert.fail() })
    const seen = new Set<string>()
    for (const { group, id, name } of cases) {
      assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/)
      assert.ok(name.length > 10, name)
      assert.ok(!seen.has(`${group}/${id}`), `${group}/${id} is there twice`)
      seen.add(`${group}/${id}`)
    }
  })
})
