/** What of a test runner is changed here; vitest's module is one. */
interface Describing {
  describe(name: string, body: () => void): unknown
  readonly it: { skip(name: string, run: () => void): unknown }
}

/** Groups of the suite in which something stands between core and the driver. */
const BEHIND_A_WRAPPER = /^(storage|memory|sessions), (?!plain$)/

/**
 * For a further client or setup of a storage whose first one runs the whole suite in every test command: leaves
 * out the groups that hold core, behind wrappers, to faults of a driver, whatever client is below. With
 * `HOLDFAST_WHOLE_SUITE` set it leaves out nothing.
 */
export function plainRunner<R extends Describing>(runner: R): R {
  if (process.env['HOLDFAST_WHOLE_SUITE']) return runner
  const describe = (name: string, body: () => void) => {
    if (!BEHIND_A_WRAPPER.test(name)) return runner.describe(name, body)
    // The reporter of this repository takes what follows `skipped:` for the reason.
    return runner.it.skip(`${name} (skipped: needs HOLDFAST_WHOLE_SUITE=1 here)`, () => {})
  }
  return { ...runner, describe }
}
