import type { SessionDriver, Version } from '@holdfast/core'
import { Catalog } from './catalog.ts'
import { type RedisClient, run } from './client.ts'
import { ClockError, classifyRedis } from './errors.ts'
import { Keys } from './keys.ts'
import { append, create, read, remove, replace } from './scripts.ts'

/** How often a creation may come behind its deadline before the clocks must be wrong. */
const LATE = 3

export interface DriverSettings {
  readonly prefix: string
  readonly ttlMs: number | undefined
}

/** The session driver over any client. The revision in the hash is all that guards a write. */
export function sessionDriver(
  client: RedisClient,
  { prefix, ttlMs }: DriverSettings,
): SessionDriver {
  const keys = new Keys(prefix)
  const catalog = new Catalog(client, keys)
  const ttl = ttlMs === undefined ? '' : String(ttlMs)

  const createNew = async (id: string, fields: readonly string[]): Promise<number> => {
    for (let tries = 0; tries < LATE; tries++) {
      const deadline = await catalog.enter(id)
      const done = await run(client, create, keys.session(id), [String(deadline), ...fields])
      if (Number(done) >= 0) return Number(done)
    }
    throw new ClockError(LATE)
  }

  return {
    async read(id, { unless, skip = 0 } = {}) {
      const args = unless === undefined ? [String(skip)] : [String(skip), unless]
      const cell = (await run(client, read, keys.session(id), args)) as string[] | null
      if (!cell) return null
      const [revision = '', head, ...entries] = cell
      return head === undefined ? 'unchanged' : { revision, head, entries }
    },
    async replace(id, next, expected) {
      const fields = [next.revision, next.head, ttl, ...next.entries]
      const done = expected
        ? await run(client, replace, keys.session(id), [expected.revision, ...fields])
        : await createNew(id, fields)
      return versionOf(done, next)
    },
    async append(id, { revision, head, drop, entries }, expected) {
      const args = [expected.revision, revision, head, ttl, String(drop), ...entries]
      return versionOf(await run(client, append, keys.session(id), args), { revision })
    },
    delete(id, expected) {
      return catalog.leave(id, async () => {
        return Number(await run(client, remove, keys.session(id), [expected.revision])) === 1
      })
    },
    list: ({ after = '', before, limit }) => catalog.list({ after, before, limit }),
    classify: (error) => classifyRedis(error, client),
  }
}

/** Numbers may come as texts: the client has an option for that. */
const versionOf = (done: unknown, { revision }: Version): Version | false =>
  Number(done) === 1 && { revision }
