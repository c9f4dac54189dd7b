/** A step that did not end in its time. */
export class TimedOutError extends Error {
  override readonly name = 'TimedOutError'
}

/**
 * `task`, or `TimedOutError` after `timeoutMs`. The timer is referenced: while a step waits for something
 * that never comes, the process must live on in order to say so.
 */
export async function within<T>(timeoutMs: number, what: string, task: () => T | Promise<T>) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new TimedOutError(`${what} did not end within ${timeoutMs / 1_000} s`)),
      timeoutMs,
    )
  })
  try {
    return await Promise.race([(async () => task())(), late])
  } finally {
    clearTimeout(timer)
  }
}
