import { HoldfastError } from '@holdfast/core'

const missing = new Set([
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
])

/** Loads what may not be installed; a missing package is `INVALID_ARGUMENT` with the line that installs it. */
export async function load<T>(module: () => Promise<T>, install: string): Promise<T> {
  try {
    return await module()
  } catch (error) {
    if (!missing.has((error as NodeJS.ErrnoException)?.code ?? '')) throw error
    throw new HoldfastError(
      'INVALID_ARGUMENT',
      `A package that this database needs is not installed. Run: ${install}`,
      { cause: error },
    )
  }
}
