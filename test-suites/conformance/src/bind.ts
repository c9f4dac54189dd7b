import { HoldfastError } from '@holdfast/core'
import type { BoundCase } from './case.ts'
import { checkLimits, type Limits, limitOf } from './limits.ts'
import { CASE_TIMEOUT_MS, judge } from './verdict.ts'

/** What the suite needs of a test runner: vitest, jest, mocha, bun and `node:test` all have it. */
export interface TestRunner {
  /** Groups tests; `body` runs at once. */
  describe(name: string, body: () => void): unknown
  /** One test; `timeoutMs` is how long it may take. */
  it(name: string, body: (...context: unknown[]) => Promise<void>, timeoutMs?: number): unknown
  /** Runs behind the last test of a `describe`; `node:test` and mocha call it so. */
  after?(body: () => Promise<void>): unknown
  /** The same; vitest, jest and bun call it so. */
  afterAll?(body: () => Promise<void>): unknown
}

/** How cases are bound to a runner. */
export interface BindOptions {
  /** Rules that are known to be broken: case id → reason. Each must then really fail. */
  readonly limits?: Limits | undefined
  /** Default: the global `describe` and `it`. */
  readonly runner?: TestRunner | undefined
  /** Runs behind the last case. */
  close?(): Promise<void>
}

function globalRunner(): TestRunner {
  const found = globalThis as unknown as Partial<TestRunner>
  if (typeof found.describe === 'function' && typeof found.it === 'function') {
    return found as TestRunner
  }
  throw new HoldfastError(
    'INVALID_ARGUMENT',
    "No test runner: there is no global describe/it. Pass one as the last argument (`import { describe, it, after } from 'node:test'` or `import * as runner from 'vitest'`), or run the holdfast-conformance command.",
  )
}

/** Tells the runner that a test was skipped, in whichever way it understands; else prints it. */
function reportSkip(self: unknown, context: unknown, title: string, reason: string): void {
  // vitest and node:test give the test a context with `skip`, mocha gives it as `this`.
  for (const owner of [context, self]) {
    const skip = (owner as { skip?: unknown } | null | undefined)?.skip
    if (typeof skip === 'function') {
      skip.call(owner, reason)
      return
    }
  }
  console.info(`not applicable: ${title}: ${reason}`)
}

/** Registers the cases with a test runner: one `describe` for the suite, one per group, one `it` per case. */
export function bindCases(
  name: string,
  cases: readonly BoundCase[],
  options: BindOptions = {},
): void {
  const limits = options.limits ?? {}
  checkLimits(limits, cases)
  const runner = options.runner ?? globalRunner()
  const groups = byGroup(cases)

  runner.describe(name, () => {
    for (const [group, members] of groups) {
      runner.describe(group, () => {
        for (const current of members) {
          const limit = limitOf(limits, current)
          const title = `${current.id}: ${current.name}${limit === undefined ? '' : ` (declared limit: ${limit})`}${current.skip === undefined ? '' : ` (not applicable: ${current.skip})`}`
          // Rest parameters: jest and mocha take a declared parameter for a `done` callback.
          runner.it(
            title,
            async function (this: unknown, ...context: unknown[]) {
              const timeout = (this as { timeout?: unknown } | undefined)?.timeout
              if (typeof timeout === 'function') timeout.call(this, CASE_TIMEOUT_MS)
              const verdict = await judge(current, limits)
              if (verdict.status === 'failed') throw verdict.error
              if (verdict.status === 'skipped') {
                reportSkip(this, context[0], title, verdict.reason ?? '')
              }
            },
            CASE_TIMEOUT_MS,
          )
        }
      })
    }
    const { close } = options
    if (!close) return
    const after = runner.after ?? runner.afterAll
    if (after) after(() => close())
    else runner.it('closes what it opened', () => close(), CASE_TIMEOUT_MS)
  })
}

function byGroup(cases: readonly BoundCase[]): Map<string, BoundCase[]> {
  const groups = new Map<string, BoundCase[]>()
  for (const current of cases) {
    const members = groups.get(current.group)
    if (members) members.push(current)
    else groups.set(current.group, [current])
  }
  return groups
}
