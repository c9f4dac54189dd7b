import { harnessError } from './harness-error.ts'

/**
 * One rule, as data. `run` rejects (with an `AssertionError`, as a rule) where the rule is broken.
 * It makes its own random ids, so that cases share nothing and may run beside anything.
 */
export interface ConformanceCase<H> {
  /** Kebab-case, unique in the suite; what `limits` and `--only` name. */
  readonly id: string
  /** The rule, in a sentence. */
  readonly name: string
  /** A race: it counts, and cannot be declared away in `limits`. */
  readonly race?: boolean
  /** `true`, or why the rule does not concern this implementation (`'the driver has no append'`). */
  applies?(harness: H): true | string
  /** Tries the rule; rejects where it is broken. */
  run(harness: H): Promise<void>
}

/** A case with everything that it needs in order to run. */
export interface BoundCase {
  /** The variant that it runs in, such as `plain` or `answers lost`. */
  readonly group: string
  /** As of its `ConformanceCase`. */
  readonly id: string
  /** The rule, in a sentence. */
  readonly name: string
  /** True for one that cannot be declared away. */
  readonly race: boolean
  /** Known before it runs: why it does not concern this implementation. */
  readonly skip?: string
  /** Resolves to the reason why the rule does not concern this implementation, if it does not. */
  run(): Promise<string | undefined>
}

/**
 * Binds `cases` to the harness that `open` answers; it is asked once per case, when the case runs.
 * `skip` answers why a case does not concern the implementation, where that is known beforehand.
 */
export function prepare<H>(
  group: string,
  cases: readonly ConformanceCase<H>[],
  open: () => H | Promise<H>,
  skip?: (current: ConformanceCase<H>) => string | undefined,
): BoundCase[] {
  return cases.map((current) => {
    const reason = skip?.(current)
    return {
      group,
      id: current.id,
      name: current.name,
      race: current.race === true,
      ...(reason === undefined ? {} : { skip: reason }),
      async run() {
        let harness: H
        try {
          harness = await open()
        } catch (error) {
          throw harnessError('the harness cannot be opened', error)
        }
        const applies = current.applies?.(harness) ?? true
        if (applies !== true) return applies
        await current.run(harness)
        return undefined
      },
    }
  })
}
