/** The signal of one call. */
export interface CallSignal {
  /** What the SDK is handed. */
  readonly signal: AbortSignal
  /** Takes the listener off the caller's signal. */
  release(): void
}

/**
 * A signal of the call's own that follows the caller's: SDKs leave a listener on the signal of each request,
 * and on one that serves a whole run they would pile up, with a warning from Node after ten.
 */
export function callSignal(outer: AbortSignal | undefined): CallSignal {
  const controller = new AbortController()
  const follow = () => controller.abort(outer?.reason)
  if (outer?.aborted) follow()
  outer?.addEventListener('abort', follow, { once: true })
  return {
    signal: controller.signal,
    release: () => outer?.removeEventListener('abort', follow),
  }
}
