/** What `work` makes of an open client; the client is closed where that fails. */
export async function orClose<T>(client: { close(): unknown }, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    client.close()
    throw error
  }
}
