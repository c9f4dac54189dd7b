import { randomUUID } from 'node:crypto'
import type { Service } from '@holdfast/services'
import { type MongoClient, MongoClient as MongoClient7 } from 'mongodb'

/** The URL of `server` for a database of its own, which exists for one test. */
export function urlOf(server: Service, database = freshName(), options = ''): string {
  const url = new URL(server.url)
  url.pathname = `/${database}`
  for (const [name, value] of new URLSearchParams(options)) url.searchParams.set(name, value)
  return url.href
}

export const freshName = (): string => `holdfast-${randomUUID().slice(0, 8)}`

/** A raw client on a database of its own, which is dropped behind `use`. */
export async function withDatabase(
  server: Service,
  use: (db: ReturnType<MongoClient['db']>, url: string) => Promise<void>,
): Promise<void> {
  const url = urlOf(server)
  const client = new MongoClient7(url)
  try {
    await use(client.db(), url)
    await client.db().dropDatabase()
  } finally {
    await client.close()
  }
}

/** The URL of a fresh database of `server` behind a proxy on `port`. */
export function urlBehind(server: Service, port: number, options = ''): string {
  const url = new URL(urlOf(server, freshName(), options))
  url.port = `${port}`
  // The set itself names its address: only a direct connection stays behind the proxy.
  url.searchParams.delete('replicaSet')
  url.searchParams.set('directConnection', 'true')
  return url.href
}
