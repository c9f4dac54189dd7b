const SELECT_MS = 3_000

/** The version of the server at `url`: `SecantusDB 0.7.0b3`, `MongoDB 8.0.4`. Rejects unless it answers. */
export async function version(url: string): Promise<string> {
  const { MongoClient } = await import('mongodb')
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: SELECT_MS,
    connectTimeoutMS: SELECT_MS,
  })
  try {
    const { version, secantusVersion } = await client.db('admin').command({ buildInfo: 1 })
    // SecantusDB gives as `version` the one of the MongoDB whose protocol it speaks.
    return secantusVersion
      ? `SecantusDB ${secantusVersion} (as MongoDB ${version})`
      : `MongoDB ${version}`
  } finally {
    await client.close(true)
  }
}
