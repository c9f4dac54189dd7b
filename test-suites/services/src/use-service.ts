import { type Service, type ServiceSetup, Unavailable } from './service.ts'

/** What is needed of a test runner; vitest's module is one. */
export interface ServiceRunner {
  readonly it: {
    (name: string, run: () => void): unknown
    skip(name: string, run: () => void): unknown
  }
  afterAll(run: () => Promise<void>, timeoutMs?: number): unknown
}

const STOP_MS = 30_000

/** Whether a server that cannot be had is a failure: in CI, or where `HOLDFAST_REQUIRE_SERVICES` says so. */
function required(): boolean {
  const set = (name: string) => !['', '0', 'false'].includes(process.env[name] ?? '')
  return set('CI') || set('HOLDFAST_REQUIRE_SERVICES')
}

/**
 * A real server for the tests of a file: the one that the environment names, else one that is started and
 * stopped behind the file's tests.
 *
 * Answers undefined where there is none; then it has registered a test whose name says why: skipped, or
 * failing where servers are required. One that the environment names and that does not answer is a failure anywhere.
 */
export async function useService<S extends Service>(
  setup: ServiceSetup<S>,
  runner: ServiceRunner,
): Promise<S | undefined> {
  const url = process.env[setup.variable] ?? ''
  try {
    const service = await (url === '' ? setup.start() : setup.connect(url))
    runner.afterAll(() => service.stop(), STOP_MS)
    return service
  } catch (error) {
    const missing = error instanceof Unavailable
    const reason = missing
      ? `${error.message}, and no ${setup.variable}`
      : url === ''
        ? 'it does not start'
        : `the server of ${setup.variable} does not answer`
    const title = `${setup.name}: ${reason}`
    if (missing && !required()) runner.it.skip(title, () => {})
    else
      runner.it(title, () => {
        throw error
      })
    return undefined
  }
}
