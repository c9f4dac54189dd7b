import type { BoundCase } from './case.ts'
import { checkLimits, type Limits } from './limits.ts'
import { judge, type Verdict } from './verdict.ts'

export interface RunOptions {
  readonly limits?: Limits | undefined
  /** Called behind each case, for progress. */
  onVerdict?(verdict: Verdict): void
}

/** Runs cases one after another without a test runner. */
export async function runCases(
  cases: readonly BoundCase[],
  options: RunOptions = {},
): Promise<Verdict[]> {
  const limits = options.limits ?? {}
  checkLimits(limits, cases)
  const verdicts: Verdict[] = []
  for (const current of cases) {
    const verdict = await judge(current, limits)
    verdicts.push(verdict)
    options.onVerdict?.(verdict)
  }
  return verdicts
}
