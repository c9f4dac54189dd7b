/** What `within` gave up on. */
export class Late extends Error {
  /** As the platform names such an error. */
  override readonly name = 'TimeoutError'
}

/**
 * The outcome of `work`, or `Late` after `ms`: a client may wait for ever for a server that is connected and says
 * nothing. `work` itself goes on.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(`The server did not answer within ${ms} ms.`)), ms)
  })
  try {
    return await Promise.race([work, end])
  } finally {
    clearTimeout(timer)
  }
}
