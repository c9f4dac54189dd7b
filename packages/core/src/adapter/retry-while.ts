/** How long opening goes on, in ms. */
const PATIENCE_MS = 30_000

/**
 * Tries again, for 30 s, while what fails may pass, without blocking the event loop in between; `pauseMs` is
 * the shortest and the longest pause.
 */
export async function retryWhile<T>(
  mayPass: (error: unknown) => boolean,
  work: () => Promise<T>,
  [shortest, longest]: readonly [shortest: number, longest: number],
): Promise<T> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!mayPass(error) || performance.now() > end) throw error
      const pause = shortest + Math.random() * (longest - shortest)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}
