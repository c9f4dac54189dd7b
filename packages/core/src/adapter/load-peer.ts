import { HoldfastError } from '../errors.ts'

/** How the platforms say that a package, or an entry of it, is not there. */
const MISSING = new Set([
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
])

/**
 * Loads a package that need not be installed; a missing one is `INVALID_ARGUMENT` with the line that
 * installs it.
 *
 * ```ts
 * import { loadPeer } from '@holdfast/core/adapter'
 *
 * const { connect } = await loadPeer(() => import('node:net'), 'npm install net')
 * ```
 */
export async function loadPeer<T>(load: () => Promise<T>, install: string): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (!MISSING.has(String(Object(error).code))) throw error
    throw new HoldfastError(
      'INVALID_ARGUMENT',
      `A package that this storage needs is not installed. Run: ${install}`,
      { cause: error, outcome: 'not-committed' },
    )
  }
}
