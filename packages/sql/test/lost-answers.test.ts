import { join } from 'node:path'
import type { SessionDriver } from '@holdfast/core'
import { type Burst, mariadb, openTcpProxy, postgres, useService } from '@holdfast/services'
import { createClient } from '@libsql/client'
import { drizzle as drizzleLibsql } from 'drizzle-orm/libsql'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import mysql from 'mysql2'
import connect from 'postgres'
import * as runner from 'vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { postgresJsDialect } from '../src/clients/postgres-js.ts'
import { RenewedPostgresJs } from '../src/clients/renewed-postgres-js.ts'
import { sqlDriver } from '../src/index.ts'
import { checkOptions } from '../src/options.ts'
import { dialectDriver } from '../src/sql-storage.ts'
import { temporaryFolder } from './support/engines.ts'
import { openHranaServer } from './support/hrana-server.ts'
import { openPg } from './support/postgres.ts'

const { path: folder, remove } = temporaryFolder()
afterAll(remove)

const ID = 'm0:lost'
const TABLE = 'lost_answers'

interface Way {
  open(url: string): Promise<{ driver: SessionDriver; close(): Promise<unknown> }>
}

const ways: Record<'postgres' | 'mariadb', Record<string, Way>> = {
  postgres: {
    pg: {
      async open(url) {
        const { db, close } = openPg('pg', url, 1)
        return { driver: await sqlDriver(db, { table: TABLE }), close }
      },
    },
    'postgres.js': {
      // As openSql does: by itself it waits without end for some of what is lost.
      async open(url) {
        const client = new RenewedPostgresJs(() => connect(url, { max: 1, onnotice() {} }), 1_000)
        const options = checkOptions({ table: TABLE })
        const driver = await dialectDriver(postgresJsDialect(client, options), options)
        return { driver, close: () => client.end() }
      },
    },
  },
  mariadb: {
    mysql2: {
      async open(url) {
        const pool = mysql.createPool({ uri: url, connectionLimit: 1 })
        const close = () => pool.promise().end()
        return { driver: await sqlDriver(drizzleMysql(pool), { table: TABLE }), close }
      },
    },
  },
}

const BOTH = ['one', 'two']
const change = (revision: string) => ({ revision, head: '', drop: 1, entries: BOTH })

/**
 * The client, or the adapter, might send a statement again by itself: the second one would find the first one's
 * work, and answer false or a refusal for what is stored. So each answer and each request of a write is lost in
 * turn, and the error must not say that nothing happened where something did.
 */
async function loseEach(url: string, { open }: Way): Promise<number> {
  const fresh = await open(url)
  let lost = 0
  for (const direction of ['answer', 'request'] as const) {
    for (let at = 1, met = true; met; at++) {
      const before = { revision: `${direction}-${at}`, head: '', entries: ['zero'] }
      const found = await fresh.driver.read(ID)
      const stored = found === 'unchanged' ? null : found
      expect(await fresh.driver.replace(ID, before, stored)).toBeTruthy()

      let counted: number | undefined
      const decide = (burst: Burst) => {
        if (counted === undefined || burst.direction !== direction) return 'pass'
        return ++counted === at ? 'cut' : 'pass'
      }
      const proxy = await openTcpProxy(url, decide)
      const { driver, close } = await open(proxy.url)
      // Before, a statement of another kind: the connection is there, and the write's statement is new to it.
      await driver.read(ID)
      counted = 0
      const after = `${before.revision}-after`
      const answer = await driver
        .append?.(ID, change(after), before)
        .catch((error: unknown) => ({ error }))
      met = counted >= at
      const applied = (await fresh.driver.read(ID)) as typeof before
      const place = `${direction} ${at} of ${counted}`
      if (answer && 'error' in answer) {
        lost++
        expect(met, `${place}: ${answer.error}`).toBe(true)
        expect(driver.classify?.(answer.error), `${place}: ${answer.error}`).toBe('transient')
        expect([before.revision, after]).toContain(applied.revision)
      } else {
        expect(answer, place).toMatchObject({ revision: after })
        expect(applied.revision).toBe(after)
      }
      expect(applied.entries).toEqual(applied.revision === after ? BOTH : ['zero'])
      await close()
      await proxy.close()
    }
  }
  await fresh.close()
  return lost
}

for (const [name, service] of [
  ['postgres', await useService(postgres, runner)],
  ['mariadb', await useService(mariadb, runner)],
] as const) {
  if (!service) continue
  describe.each(Object.entries(ways[name]))(
    `a write to ${service.version} through %s`,
    (_, way) => {
      it('is sent once, and what is lost of it is transient', async () => {
        expect(await loseEach(service.url, way)).toBeGreaterThan(1)
      })
    },
  )
}

describe('a write to libSQL over HTTP', () => {
  it('is sent once: an answer that is lost is transient, a server that refuses is sure', async () => {
    let fate: 'serve' | 'serve-and-cut' | { status: number; body: string } = 'serve'
    const server = await openHranaServer(join(folder, 'remote.db'), () => fate)
    const client = createClient({ url: server.url })
    const driver = await sqlDriver(drizzleLibsql(client))
    const first = { revision: '1', head: '', entries: ['zero'] }
    expect(await driver.replace(ID, first, null)).toEqual({ revision: '1' })

    const sent = server.writes()
    fate = 'serve-and-cut'
    const error: unknown = await driver.append?.(ID, change('2'), first).catch((e: unknown) => e)
    expect(driver.classify?.(error), String(error)).toBe('transient')
    expect(server.writes()).toBe(sent + 1)
    fate = 'serve'
    expect(await driver.read(ID)).toEqual({ revision: '2', head: '', entries: BOTH })
    expect(await driver.append?.(ID, change('3'), first)).toBe(false)

    fate = { status: 401, body: 'no' }
    const refusal: unknown = await driver
      .append?.(ID, change('3'), { revision: '2' })
      .catch((e: unknown) => e)
    expect(driver.classify?.(refusal)).toBe('refused')
    fate = 'serve'
    expect(await driver.list({ limit: 9 })).toEqual([{ id: ID, revision: '2', head: '' }])
    expect(await driver.delete?.(ID, { revision: '2' })).toBe(true)
    client.close()
    await server.close()
  })
})
