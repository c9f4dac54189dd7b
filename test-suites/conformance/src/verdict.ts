import type { BoundCase } from './case.ts'
import { HarnessError } from './harness-error.ts'
import { type Limits, limitOf } from './limits.ts'
import { TimedOutError, within } from './within.ts'

/** Some cases make thousands of calls; on a remote server each takes a millisecond or more. */
export const CASE_TIMEOUT_MS = 180_000

/** What became of one case. */
export interface Verdict {
  /** The variant that it ran in. */
  readonly group: string
  /** The case’s. */
  readonly id: string
  /** The rule, in a sentence. */
  readonly name: string
  /** `limited`: failed, as declared in `limits`. `skipped`: the rule does not concern this implementation. */
  readonly status: 'passed' | 'failed' | 'limited' | 'skipped'
  /** Why it is limited or skipped. */
  readonly reason?: string
  /** What it failed with. */
  readonly error?: unknown
  /** How long it took. */
  readonly ms: number
}

/**
 * Runs one case and judges it. A declared limit turns it inside out: it must fail. With `timeoutMs` a case
 * that has not ended by then has failed.
 */
export async function judge(
  current: BoundCase,
  limits: Limits,
  timeoutMs?: number,
): Promise<Verdict> {
  const { group, id, name } = current
  const started = performance.now()
  const verdict = (rest: Omit<Verdict, 'group' | 'id' | 'name' | 'ms'>): Verdict => ({
    group,
    id,
    name,
    ms: Math.round(performance.now() - started),
    ...rest,
  })

  if (current.skip !== undefined) return verdict({ status: 'skipped', reason: current.skip })
  const limit = limitOf(limits, current)
  try {
    const skipped = await (timeoutMs === undefined
      ? current.run()
      : within(timeoutMs, 'the case', () => current.run()))
    if (skipped !== undefined) return verdict({ status: 'skipped', reason: skipped })
  } catch (error) {
    // A limit is a rule that the implementation breaks; a harness that is wrong, or no answer, is no rule.
    const excused = !(error instanceof HarnessError || error instanceof TimedOutError)
    return limit === undefined || !excused
      ? verdict({ status: 'failed', error })
      : verdict({ status: 'limited', reason: limit, error })
  }
  return limit === undefined
    ? verdict({ status: 'passed' })
    : verdict({
        status: 'failed',
        error: new Error(
          `declared limit ${JSON.stringify(id)} did not fail: remove it from limits`,
        ),
      })
}
