import { createStorage, HoldfastError, type Storage } from '@holdfast/core'
import { loadPeer, within } from '@holdfast/core/adapter'
import { bareError } from './bare-error.ts'
import { asking, type RedisClient } from './client.ts'
import { checkOptions, type RedisStorageOptions } from './options.ts'
import { type Address, addressOf } from './redis-address.ts'
import { connectDriver } from './redis-storage.ts'

/** Settings of ioredis for one server or, with `nodes`, for a cluster; handed to it as they are. */
export interface RedisConnection {
  /** Where some nodes of a cluster are. With it the other settings are those of ioredis's `Cluster`. */
  readonly nodes?: readonly { readonly host: string; readonly port: number }[] | undefined
  readonly [setting: string]: unknown
}

/** What is used of a client that was made here. */
interface OwnClient extends RedisClient {
  connect(): Promise<unknown>
  disconnect(): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

/**
 * Opens a Redis or Valkey by its URL, or by settings of ioredis. The storage owns the connection:
 * `storage.close()` ends it.
 *
 * - `redis://[user:password@]host[:6379][/db]`, `rediss://…` for TLS.
 * - `redis-cluster://[user:password@]host:port,host:port`, `rediss-cluster://…`: a cluster, by some of its nodes.
 * - `{ host, port, … }` or `{ nodes: [{ host, port }], … }`: settings of ioredis (Sentinel, certificates).
 *
 * Errors: `INVALID_ARGUMENT` (address, options, or the package to install, with the line that does it),
 * `UNSUPPORTED` (a server older than Redis 6.2), `STORAGE_FAILED` (it cannot be reached, or refuses).
 */
export async function openRedis(
  target: string | URL | RedisConnection,
  options: RedisStorageOptions = {},
): Promise<Storage> {
  const address = addressOf(target)
  const checked = checkOptions(options)
  const client = await makeClient(address, checked.storage.timeoutMs)
  try {
    await connect(client, checked.storage.timeoutMs)
    const driver = await connectDriver(client, checked)
    return createStorage(driver, { ...checked.storage, close: () => client.disconnect() })
  } catch (error) {
    client.disconnect()
    throw error
  }
}

/** A call fails early and the storage tries again, so that it is not held back for longer than it must. */
const SINGLE = {
  maxRetriesPerRequest: 2,
  retryStrategy: (times: number) => Math.min(times * 50, 1_000),
  // A primary that became a replica refuses writes: the way to the new one is found by connecting again.
  reconnectOnError: (error: Error) => /\bREADONLY\b/.test(error.message),
}

async function makeClient(address: Address, timeoutMs: number): Promise<OwnClient> {
  const { Redis, Cluster } = await loadPeer(() => import('ioredis'), 'npm install ioredis')
  // A connection that says nothing any more is given up: answers come in order, so all behind it would wait.
  const socketTimeout = timeoutMs
  if (address.kind === 'single') {
    return new Redis({ ...SINGLE, socketTimeout, ...address.options, lazyConnect: true })
  }
  return new Cluster([...address.nodes] as { host: string; port: number }[], {
    ...address.options,
    redisOptions: { socketTimeout, ...Object(address.options['redisOptions']) },
    lazyConnect: true,
  })
}

async function connect(client: OwnClient, timeoutMs: number): Promise<void> {
  let reason: Error | undefined
  // Also keeps the client from printing: each call tells of its own failure.
  client.on('error', (error) => {
    reason = bareError(error)
  })
  try {
    const connected = asking(() => client.connect())
    await within(timeoutMs, connected)
  } catch (error) {
    const cause = reason ?? (error as Error)
    throw new HoldfastError('STORAGE_FAILED', `Redis cannot be reached: ${cause.message}`, {
      cause,
    })
  }
}
