import type { Redis } from 'ioredis'

/** Runs `use` on a connection of its own, which tries once. */
export async function withRedis<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const { Redis } = await import('ioredis')
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 5_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await use(client)
  } finally {
    client.disconnect()
  }
}

/** Rejects unless the server at `url` answers, with its data loaded. */
export async function ping(url: string): Promise<void> {
  await withRedis(url, (client) => client.ping())
}

/** `Redis 7.0.15`, or what the server calls itself. */
export function version(url: string): Promise<string> {
  return withRedis(url, async (client) => {
    const info = await client.info('server')
    const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
    const valkey = field('valkey_version')
    return valkey ? `Valkey ${valkey}` : `Redis ${field('redis_version') ?? ''}`
  })
}
