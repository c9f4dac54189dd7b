import { HoldfastError } from '@holdfast/core'

const missing = new Set([
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
])

/** Loads the client; where it is missing, `INVALID_ARGUMENT` holds the line that installs it. */
export async function loadClient(): Promise<Pick<typeof import('ioredis'), 'Redis' | 'Cluster'>> {
  try {
    return await import('ioredis')
  } catch (error) {
    if (!missing.has((error as NodeJS.ErrnoException)?.code ?? '')) throw error
    throw new HoldfastError(
      'INVALID_ARGUMENT',
      'The Redis client is not installed. Run: npm install ioredis',
      { cause: error },
    )
  }
}
