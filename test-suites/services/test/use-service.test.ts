import { afterEach, describe, expect, it, vi } from 'vitest'
import { foundService } from '../src/found-service.ts'
import { type Service, type ServiceSetup, Unavailable, useService } from '../src/index.ts'

/** A runner that keeps what it is given. */
function recorder() {
  const tests: { readonly name: string; readonly skipped: boolean; readonly run: () => void }[] = []
  const afterwards: (() => Promise<void>)[] = []
  const keep = (skipped: boolean) => (name: string, run: () => void) =>
    tests.push({ name, skipped, run })
  return {
    tests,
    afterwards,
    it: Object.assign(keep(false), { skip: keep(true) }),
    afterAll: (run: () => Promise<void>) => afterwards.push(run),
  }
}

function setupOf(start: () => Promise<Service>): ServiceSetup {
  return {
    name: 'Some server',
    variable: 'HOLDFAST_SOME_URL',
    start,
    connect: async (url) => {
      if (url.includes('unreachable')) throw new Error('connect ECONNREFUSED')
      return foundService(url, 'Some server 1')
    },
  }
}

const absent = setupOf(async () => {
  throw new Unavailable('no somed on PATH')
})

function notRequired() {
  vi.stubEnv('CI', '')
  vi.stubEnv('HOLDFAST_REQUIRE_SERVICES', '')
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('useService', () => {
  it('registers a skipped test that says why there is no server', async () => {
    notRequired()
    const runner = recorder()
    expect(await useService(absent, runner)).toBeUndefined()
    expect(runner.tests).toMatchObject([
      { name: 'Some server (skipped: no somed on PATH, and no HOLDFAST_SOME_URL)', skipped: true },
    ])
    expect(runner.afterwards).toHaveLength(0)
  })

  it.each(['CI', 'HOLDFAST_REQUIRE_SERVICES'])(
    'registers a failing test in its place where %s is set',
    async (variable) => {
      notRequired()
      vi.stubEnv(variable, '1')
      const runner = recorder()
      expect(await useService(absent, runner)).toBeUndefined()
      expect(runner.tests).toMatchObject([{ skipped: false }])
      expect(runner.tests[0]?.run).toThrow('no somed on PATH')
    },
  )

  it('takes the server that the environment names and leaves it running', async () => {
    vi.stubEnv('HOLDFAST_SOME_URL', 'some://elsewhere')
    const runner = recorder()
    const service = await useService(absent, runner)
    expect(service).toMatchObject({ url: 'some://elsewhere', owned: false })
    await expect(service?.kill()).rejects.toThrow('owned')
    for (const run of runner.afterwards) await run()
    expect(runner.tests).toHaveLength(0)
  })

  it('fails anywhere where the server that the environment names does not answer, without its URL', async () => {
    notRequired()
    vi.stubEnv('HOLDFAST_SOME_URL', 'some://user:secret@unreachable')
    const runner = recorder()
    expect(await useService(absent, runner)).toBeUndefined()
    expect(runner.tests).toMatchObject([
      { name: 'Some server: the server of HOLDFAST_SOME_URL cannot be used', skipped: false },
    ])
    expect(runner.tests[0]?.run).toThrow('ECONNREFUSED')
  })

  it('fails where a program is there and does not start', async () => {
    notRequired()
    const runner = recorder()
    const broken = setupOf(async () => {
      throw new Error('somed did not start: exit code 1.')
    })
    expect(await useService(broken, runner)).toBeUndefined()
    expect(runner.tests).toMatchObject([{ name: 'Some server: it does not start', skipped: false }])
  })

  it('stops behind the tests what it started', async () => {
    let stopped = 0
    const runner = recorder()
    const started = setupOf(async () => ({
      ...foundService('some://here', 'Some server 1'),
      owned: true,
      stop: async () => {
        stopped++
      },
    }))
    expect(await useService(started, runner)).toMatchObject({ owned: true })
    expect(stopped).toBe(0)
    for (const run of runner.afterwards) await run()
    expect(stopped).toBe(1)
  })
})
