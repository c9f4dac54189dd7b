import { createStorage, HoldfastError, type SessionDriver, type Storage } from '@holdfast/core'
import { invalid, within } from '@holdfast/core/adapter'
import type { RedisClient } from './client.ts'
import { sessionDriver } from './driver.ts'
import {
  type CheckedOptions,
  checkOptions,
  type RedisDriverOptions,
  type RedisStorageOptions,
} from './options.ts'
import { probeServer } from './setup.ts'

/**
 * A storage in a Redis or Valkey that your own client is connected to: a `Redis` or a `Cluster` of ioredis.
 * It closes nothing and changes no setting of the client, whose `keyPrefix` counts.
 *
 * Errors: `INVALID_ARGUMENT` (not such a client, a wrong option), `UNSUPPORTED` (a server older than Redis
 * 6.2), `STORAGE_FAILED` (it cannot be reached, or refuses what is needed).
 */
export async function redisStorage(
  client: RedisClient,
  options: RedisStorageOptions = {},
): Promise<Storage> {
  const checked = checkOptions(options)
  return createStorage(await connectDriver(client, checked), checked.storage)
}

/**
 * The driver alone, over your own client: for the conformance suite, and for wrapping it before
 * `createStorage`. Errors as `redisStorage`.
 */
export async function redisDriver(
  client: RedisClient,
  options: RedisDriverOptions = {},
): Promise<SessionDriver> {
  return connectDriver(client, checkOptions(options))
}

/** Looks at the client and at its server. */
export async function connectDriver(
  client: RedisClient,
  { prefix, ttlMs, setup, storage }: CheckedOptions,
): Promise<SessionDriver> {
  checkClient(client)
  if (setup) {
    try {
      await within(storage.timeoutMs, probeServer(client, prefix))
    } catch (error) {
      if (error instanceof HoldfastError) throw error
      throw new HoldfastError(
        'STORAGE_FAILED',
        `The Redis server could not be prepared: ${(error as Error)?.message}`,
        { cause: error },
      )
    }
  }
  return sessionDriver(client, { prefix, ttlMs })
}

function checkClient(client: unknown): void {
  const wrong = (what: string) =>
    invalid(`redisStorage takes a Redis or Cluster of ioredis; ${what}.`)
  if (typeof client === 'string') throw wrong('for a URL call openRedis(url)')
  if (client === null || typeof client !== 'object') {
    throw wrong(`this is ${client === null ? 'null' : typeof client}`)
  }
  if ('evalSha' in client) throw wrong('this looks like a client of node-redis')
  if ('isPipeline' in client && client.isPipeline === true) {
    throw wrong('this is a pipeline: what it answers comes with exec()')
  }
  const { evalsha, eval: run, info, status } = client as Partial<RedisClient>
  const fits = [evalsha, run, info].every((method) => typeof method === 'function')
  if (!fits || typeof status !== 'string') throw wrong('this is something else')
}
