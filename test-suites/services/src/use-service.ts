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
  const { name, variable = '' } = setup
  const url = process.env[variable] ?? ''
  try {
    const service = await (url !== '' && setup.connect ? setup.connect(url) : setup.start())
    runner.afterAll(() => service.stop(), STOP_MS)
    return service
  } catch (error) {
    const why = reason(error, variable, url)
    if (error instanceof Unavailable) leaveOut(name, why, runner, error)
    else fail(`${name}: ${why}`, runner, error)
    return undefined
  }
}

/**
 * Registers a test in the place of those that `name` cannot have here: skipped, with its reason where the reporter of
 * this repository looks for it, or failing where servers are required.
 */
export function leaveOut(
  name: string,
  why: string,
  runner: Pick<ServiceRunner, 'it'>,
  error: unknown = new Error(why),
): void {
  if (required()) fail(`${name}: ${why}`, runner, error)
  else runner.it.skip(`${name} (skipped: ${why})`, () => {})
}

function fail(title: string, runner: Pick<ServiceRunner, 'it'>, error: unknown): void {
  runner.it(title, () => {
    throw error
  })
}

/** Why there is no service; never with the URL, which may hold a password. */
function reason(error: unknown, variable: string, url: string): string {
  if (url !== '') return `the server of ${variable} cannot be used`
  if (!(error instanceof Unavailable)) return 'it does not start'
  return variable === '' ? error.message : `${error.message}, and no ${variable}`
}
