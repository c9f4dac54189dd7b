import { HoldfastError } from '@holdfast/core'

const missing = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

/** The client, which need not be installed where the user brings a database; a missing one is `INVALID_ARGUMENT`. */
export async function loadClient() {
  try {
    return await import('mongodb')
  } catch (error) {
    if (!missing.has((error as NodeJS.ErrnoException)?.code ?? '')) throw error
    throw new HoldfastError(
      'INVALID_ARGUMENT',
      'The client for MongoDB is not installed. Run: npm install mongodb',
      { cause: error },
    )
  }
}
