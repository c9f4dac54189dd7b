import type { BoundCase } from './case.ts'
import { checkLimits, type Limits } from './limits.ts'
import { CASE_TIMEOUT_MS, judge, type Verdict } from './verdict.ts'

/** How cases are run without a test runner. */
export interface RunOptions {
  /** Rules that are known to be broken: case id → reason. Each must then really fail. */
  readonly limits?: Limits | undefined
  /** How long a case may take, in milliseconds. Default 180,000. Afterwards it has failed, and the next begins. */
  readonly timeoutMs?: number | undefined
  /** Called behind each case, for progress. */
  onVerdict?(verdict: Verdict): void
}

/** Runs cases one after another without a test runner. */
export async function runCases(
  cases: readonly BoundCase[],
  options: RunOptions = {},
): Promise<Verdict[]> {
  const { limits = {}, timeoutMs = CASE_TIMEOUT_MS } = options
  checkLimits(limits, cases)
  const verdicts: Verdict[] = []
  for (const current of cases) {
    const verdict = await judge(current, limits, timeoutMs)
    verdicts.push(verdict)
    options.onVerdict?.(verdict)
  }
  return verdicts
}
