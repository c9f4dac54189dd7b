import { HoldfastError } from './errors.ts'

/** One run's view of the caller's signal. */
export interface AbortWatch {
  /** The run's own signal, for models and tools: listeners they forget never pile up on the caller's. */
  readonly signal: AbortSignal
  /** Throws `ABORTED` once the caller has aborted, `LIMIT_EXCEEDED` once the time is up. */
  check(): void
  /** What `start` answers, unless the abort comes first; a result that comes after it is dropped. */
  race<T>(start: () => Promise<T>): Promise<T>
  /** Takes the listener off the caller's signal, and stops the clock. */
  release(): void
}

export interface AbortLimits {
  /** Ends it as an abort does, with `LIMIT_EXCEEDED`. */
  readonly timeoutMs?: number | undefined
  /** What was done so far, for that error. */
  readonly partial?: () => unknown
}

/** Not by `instanceof`: signals of another realm or of a polyfill are signals too. */
export const isSignal = (value: AbortSignal | undefined): value is AbortSignal =>
  typeof value?.aborted === 'boolean' &&
  typeof value.addEventListener === 'function' &&
  typeof value.removeEventListener === 'function'

/** Watches the caller's signal, and the clock, for the length of one run. */
export function watchAbort(
  outer: AbortSignal | undefined,
  { timeoutMs, partial }: AbortLimits = {},
): AbortWatch {
  const own = new AbortController()
  const { signal } = own
  let late = false
  const check = () => {
    if (late) {
      const details = { limit: 'time', partial: partial?.(), cause: signal.reason }
      throw new HoldfastError(
        'LIMIT_EXCEEDED',
        `The run took longer than ${timeoutMs} ms; go on with run(null), or raise timeoutMs.`,
        details,
      )
    }
    if (signal.aborted) {
      throw new HoldfastError('ABORTED', 'The run was aborted.', { cause: signal.reason })
    }
  }
  const onAbort = () => own.abort(outer?.reason)
  if (outer?.aborted) onAbort()
  outer?.addEventListener('abort', onAbort)
  const timer =
    timeoutMs === undefined || signal.aborted
      ? undefined
      : setTimeout(() => {
          late = !signal.aborted
          own.abort(new DOMException('The time is up.', 'TimeoutError'))
        }, timeoutMs)
  return {
    signal,
    check,
    async race<T>(start: () => Promise<T>) {
      check()
      // A promise and a listener of its own for each race: on one for the whole run, results would pile up.
      let stop!: () => void
      const aborted = new Promise<void>((resolve) => {
        stop = resolve
      })
      signal.addEventListener('abort', stop)
      try {
        // `aborted` never comes first but with an abort, so what the check lets through is the answer.
        const result = await Promise.race([start(), aborted])
        check()
        return result as T
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
    release() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', onAbort)
    },
  }
}
