/** A client may wait for ever for a server that is connected and says nothing: what takes longer fails. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<never>((_, reject) => {
    const late = new Error(`The server did not answer within ${ms} ms.`)
    late.name = 'TimeoutError'
    timer = setTimeout(() => reject(late), ms)
  })
  try {
    return await Promise.race([work, end])
  } finally {
    clearTimeout(timer)
  }
}
