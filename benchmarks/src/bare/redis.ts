import { createHash } from 'node:crypto'
import { revisions } from '../bytes.ts'
import type { BareClient } from '../engine.ts'
import { done, States } from './states.ts'

export const REDIS_APPEND =
  'one `EVALSHA` on a hash: `HGET` of the revision, `HSET` of revision, head, count and entry'

/** What is used of a client; a cluster's has it as well. */
export interface BareRedisClient {
  evalsha(sha: string, keys: number, ...values: string[]): Promise<unknown>
  eval(lua: string, keys: number, ...values: string[]): Promise<unknown>
  hget(key: string, field: string): Promise<string | null>
  hmget(key: string, ...fields: string[]): Promise<(string | null)[]>
  hset(key: string, ...values: string[]): Promise<unknown>
  zadd(key: string, score: number, member: string): Promise<unknown>
  zrange(
    key: string,
    min: string,
    max: string,
    by: 'BYLEX',
    limit: 'LIMIT',
    offset: number,
    count: number,
  ): Promise<string[]>
}

const lua = `local key, now = KEYS[1], redis.call('HMGET', KEYS[1], 'revision', 'next')
if now[1] ~= ARGV[1] then return 0 end
redis.call('HSET', key, 'revision', ARGV[2], 'head', ARGV[3], 'next', now[2] + 1, now[2], ARGV[4])
return 1`
const sha = createHash('sha1').update(lua).digest('hex')

/** Behind every id: Holdfast lists within bounds. */
const LAST_ID = '(~'
/** Fields of one HSET: a command's arguments go to the server in one piece. */
const CHUNK = 1_000

/** ioredis, alone or with a cluster. */
export async function bareRedis(client: BareRedisClient, prefix: string): Promise<BareClient> {
  const index = `${prefix}:index`
  const keyOf = (id: string) => `${prefix}:{${id}}`
  const next = revisions()
  const states = new States<string>()
  return {
    async create(id, { head, body }, entries) {
      const revision = next()
      await client.zadd(index, 0, id)
      const key = keyOf(id)
      await client.hset(key, 'revision', revision, 'head', head, 'next', `${entries}`)
      for (let from = 0; from < entries; from += CHUNK) {
        const numbers = Array.from(
          { length: Math.min(CHUNK, entries - from) },
          (_, at) => from + at,
        )
        await client.hset(key, ...numbers.flatMap((n) => [`${n}`, body]))
      }
      states.set(id, revision)
    },
    async append(id, { head, body }, count) {
      for (let at = 0; at < count; at++) {
        const revision = next()
        done((await evaluate([keyOf(id), states.get(id), revision, head, body])) === 1)
        states.set(id, revision)
      }
    },
    async readRevision(id, count) {
      for (let at = 0; at < count; at++) await client.hget(keyOf(id), 'revision')
    },
    async list(after) {
      for (const id of after) {
        const ids = await client.zrange(index, `(${id}`, LAST_ID, 'BYLEX', 'LIMIT', 0, 21)
        await Promise.all(ids.map((found) => client.hmget(keyOf(found), 'revision', 'head')))
      }
    },
  }

  async function evaluate(values: string[]): Promise<unknown> {
    try {
      return await client.evalsha(sha, 1, ...values)
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return client.eval(lua, 1, ...values)
    }
  }
}
