/** The harness is at fault, not the implementation under test: no declared limit excuses it. */
export class HarnessError extends Error {
  override readonly name = 'HarnessError'
}

/** `error` as a fault of the harness: what it was doing, and what was said. */
export function harnessError(doing: string, error: unknown): HarnessError {
  if (error instanceof HarnessError) return error
  return new HarnessError(`${doing}: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  })
}
