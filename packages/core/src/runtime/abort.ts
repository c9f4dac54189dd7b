import { HoldfastError } from '../errors.ts'

/** One run's view of the caller's signal. */
export interface AbortWatch {
  /** The run's own signal, for models and tools: listeners they forget never pile up on the caller's. */
  readonly signal: AbortSignal
  /** Throws `ABORTED` once the caller has aborted. */
  check(): void
  /** What `start` answers, unless the abort comes first; a result that comes after it is dropped. */
  race<T>(start: () => Promise<T>): Promise<T>
  /** Takes the listener off the caller's signal. */
  release(): void
}

/** Watches the caller's signal for the length of one run. */
export function watchAbort(outer: AbortSignal | undefined): AbortWatch {
  const { signal, abort } = ownController()
  const error = () =>
    new HoldfastError('ABORTED', 'The run was aborted by its signal.', { cause: signal.reason })
  let reject: (error: HoldfastError) => void
  const aborted = new Promise<never>((_, fail) => {
    reject = fail
  })
  // Nobody may be waiting when the abort comes, and an unhandled rejection ends the process.
  aborted.catch(() => {})

  const onAbort = () => {
    abort(outer?.reason)
    reject(error())
  }
  if (outer?.aborted) onAbort()
  else outer?.addEventListener('abort', onAbort)

  const check = () => {
    if (signal.aborted) throw error()
  }
  return {
    signal,
    check,
    async race(start) {
      check()
      return Promise.race([start(), aborted])
    },
    release: () => outer?.removeEventListener('abort', onAbort),
  }
}

function ownController() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason: unknown) => controller.abort(reason) }
}
