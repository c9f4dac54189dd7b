import { inspect } from 'node:util'
import type { Storage } from '@holdfast/core'
import { openTcpProxy, postgres, useService } from '@holdfast/services'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
import pg from 'pg'
import connect from 'postgres'
import * as runner from 'vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSql, sqlStorage } from '../src/index.ts'
import { changedUrl, clientNames, openPg, PgProbe } from './support/postgres.ts'

const server = await useService(postgres, runner)

type Failure = Error & { code?: string; outcome?: string }
const failure = (promise: Promise<unknown>): Promise<Failure> =>
  promise.then(
    () => new Error('it did not fail'),
    (reason: Failure) => reason,
  )
const PASSWORD = 'hush-hush-7'
/** Everything that a logger could make of an error. */
const everything = (error: unknown) =>
  [
    inspect(error, { depth: 20, showHidden: true }),
    inspect((error as Error).cause, { depth: 20, showHidden: true }),
    JSON.stringify(error),
    String(error),
  ].join('\n')

describe.each(clientNames)('a PostgreSQL that cannot be had, through %s,', (client) => {
  const open = async (url: string, timeoutMs?: number) => {
    const started = performance.now()
    const error = await failure(openSql(url, { client, ...(timeoutMs && { timeoutMs }) }))
    expect(everything(error)).not.toContain(PASSWORD)
    return { error, tookMs: performance.now() - started }
  }

  it('is STORAGE_FAILED at once where nobody listens', async () => {
    const { error, tookMs } = await open(`postgres://me:${PASSWORD}@127.0.0.1:1/db`)
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    expect(error.message).toContain('ECONNREFUSED')
    expect(tookMs).toBeLessThan(5_000)
  })

  it('is STORAGE_FAILED where the name is not known', async () => {
    const { error } = await open(`postgres://me:${PASSWORD}@no-such-host.invalid/db`)
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    expect(error.message).toMatch(/ENOTFOUND|EAI_AGAIN/)
  })

  it('is STORAGE_FAILED within the timeout where nobody answers', async () => {
    const { createServer } = await import('node:net')
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const { error, tookMs } = await open(`postgres://me:${PASSWORD}@127.0.0.1:${port}/db`, 1_000)
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    expect(tookMs).toBeLessThan(6_000)
    silent.close()
  })

  it.each([`postgres://me:${PASSWORD}@host:port/db`, `postgres://me:${PASSWORD}@[::/db`])(
    'is INVALID_ARGUMENT where the URL cannot be read (%#)',
    async (url) => {
      const { error } = await open(url)
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' })
      expect(error.message).toContain('encodeURIComponent')
      expect(error.cause).toBeUndefined()
    },
  )
})

if (server) {
  describe.each(clientNames)(`${server.version} through %s`, (client) => {
    const probe = new PgProbe(server.url)
    beforeAll(async () => {
      await (await openSql(server.url)).close()
    })
    afterAll(() => probe.close())

    /** Ends every other connection to the server. */
    const terminate = (where = 'true') =>
      probe.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND ${where}`,
      )

    it('passes the parameters of the URL on', async () => {
      const parameters = { application_name: 'from-the-url', sslmode: 'disable' }
      const storage = await openSql(changedUrl(server.url, { parameters }), { client })
      const named = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'from-the-url'`
      expect(await probe.query(named)).not.toHaveLength(0)
      await storage.close()
      // The server has no TLS: asking for it must not be ignored.
      const tls = changedUrl(server.url, { parameters: { sslmode: 'require' } })
      const error = await failure(openSql(tls, { client, timeoutMs: 2_000 }))
      expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    })

    it('holds as many connections as it may, and none when it is closed', async () => {
      const parameters = { application_name: `counted-${client}` }
      const storage = await openSql(changedUrl(server.url, { parameters }), {
        client,
        maxConnections: 3,
      })
      const ids = Array.from({ length: 30 }, (_, i) => `counted-${i}`)
      await Promise.all(ids.map((id) => storage.memory(id).addUserInput(id)))
      const counted = () =>
        probe.query(
          'SELECT 1 FROM pg_stat_activity WHERE application_name = $1',
          `counted-${client}`,
        )
      expect(await counted()).toHaveLength(3)
      await storage.close()
      await expect.poll(counted, { timeout: 5_000 }).toHaveLength(0)
      await expect(storage.memory('a').getItems()).rejects.toMatchObject({ code: 'CLOSED' })
    })

    it('is STORAGE_FAILED where there is no such database, and CLOSED behind a client that is', async () => {
      const none = changedUrl(server.url, { database: 'not-there', password: PASSWORD })
      const error = await failure(openSql(none, { client }))
      expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
      expect(error.message).toContain('not-there')
      expect(everything(error)).not.toContain(PASSWORD)
      const own = openPg(client, server.url)
      const storage = await sqlStorage(own.db)
      await own.close()
      await expect(storage.memory('a').getItems()).rejects.toMatchObject({ code: 'CLOSED' })
      expect(await failure(storage.memory('a').addUserInput('x'))).toMatchObject({ code: 'CLOSED' })
    })

    it('goes on where its idle connections were ended', async () => {
      const storage = await openSql(server.url, { client, timeoutMs: 3_000 })
      await Promise.all(['a', 'b', 'c'].map((id) => storage.memory(id).addUserInput('1')))
      for (let i = 0; i < 3; i++) {
        await terminate()
        if (i > 0) await new Promise((resolve) => setTimeout(resolve, 100))
        await storage.memory('a').addUserInput(`behind ${i}`)
      }
      expect((await storage.memory('a').getItems()).slice(-3)).toHaveLength(3)
      await storage.close()
    })

    it('stores each item once while its connections are ended all the time', async () => {
      const storage = await openSql(server.url, { client, timeoutMs: 3_000 })
      const id = `ended-${client}`
      let done = false
      const ending = (async () => {
        while (!done) {
          await terminate()
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      })()
      for (let i = 0; i < 60; i++) await storage.memory(id).addUserInput(`item ${i}`)
      done = true
      await ending
      const items = (await storage.memory(id).getItems()).map((item) => JSON.stringify(item))
      expect(items).toHaveLength(60)
      for (const [i, text] of items.entries()) expect(text).toContain(`"item ${i}"`)
      await storage.close()
    })

    it('keeps items out of what its errors hold', async () => {
      const debug =
        client === 'pg'
          ? openPg('pg', server.url)
          : (() => {
              const sql = connect(server.url, { debug: true, onnotice: () => {} })
              return { db: drizzlePostgresJs(sql), close: () => sql.end() }
            })()
      const table = `refusing_${client}`
      const storage = await sqlStorage(debug.db, { table })
      await storage.memory('a').addUserInput('first')
      await probe.query(
        `ALTER TABLE ${table}_entries ADD CONSTRAINT short CHECK (length(body) < 150)`,
      )
      const error = await failure(
        storage.memory('a').addUserInput(`${PASSWORD} ${'x'.repeat(200)}`),
      )
      expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
      expect(inspect(error.cause)).toContain('23514')
      expect(everything(error)).not.toContain(PASSWORD)
      const inside = await debug.db.transaction(async (tx) => {
        const own = await sqlStorage(tx, { table })
        return failure(own.memory('a').addUserInput(`${PASSWORD} ${'x'.repeat(200)}`))
      })
      expect(inside).toMatchObject({ code: 'STORAGE_FAILED' })
      expect(inspect(inside.cause)).toContain('23514')
      expect(everything(inside)).not.toContain(PASSWORD)
      await debug.close()
    })

    it('ends a call whose answer never comes, and goes on with another connection', async () => {
      let swallow = false
      const proxy = await openTcpProxy(server.url, ({ direction }) =>
        swallow && direction === 'answer' ? 'swallow' : 'pass',
      )
      const storage = await openSql(proxy.url, { client, timeoutMs: 1_000, maxConnections: 1 })
      const id = `silent-${client}`
      await storage.memory(id).addUserInput('first')
      swallow = true
      const started = performance.now()
      const writing = storage.memory(id).addUserInput('second')
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      swallow = false
      // postgres.js has no timeout of its own: it stays with a silent connection until that ends.
      if (client === 'postgres') proxy.disconnect()
      await writing
      expect(performance.now() - started).toBeLessThan(15_000)
      expect(await storage.memory(id).getItems()).toHaveLength(2)
      await storage.close()
      await proxy.close()
    })
  })

  describe('a pool of the caller’s own without a listener', () => {
    it('does not end the process when its idle connections, or one in a transaction, are ended', async () => {
      const probe = new PgProbe(server.url)
      const pool = new pg.Pool({ connectionString: server.url, max: 3 })
      const db = drizzlePg(pool)
      const storage = await sqlStorage(db)
      await sqlStorage(db)
      expect(pool.listenerCount('error')).toBe(1)
      await Promise.all(['a', 'b', 'c'].map((id) => storage.memory(id).getItems()))
      const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`
      await probe.query(others)
      await new Promise((resolve) => setTimeout(resolve, 200))
      await storage.memory('a').getItems()
      const broken = await failure(
        db.transaction(async (tx) => {
          const inside = await sqlStorage(tx)
          await probe.query(others)
          await new Promise((resolve) => setTimeout(resolve, 200))
          await inside.memory('a').addUserInput('x')
        }),
      )
      expect(broken.message).not.toBe('it did not fail')
      await storage.memory('a').getItems()
      // A listener of the caller's own is left alone.
      const heard: unknown[] = []
      const listening = new pg.Pool({ connectionString: server.url })
      listening.on('error', (error) => heard.push(error))
      const own = await sqlStorage(drizzlePg(listening))
      await own.memory('a').getItems()
      expect(listening.listenerCount('error')).toBe(1)
      await probe.query(others)
      await expect.poll(() => heard.length, { timeout: 5_000 }).toBeGreaterThan(0)
      await Promise.all([pool.end(), listening.end(), probe.close()])
    })
  })

  if (server.owned) {
    describe.each(clientNames)(`${server.version} that is killed, through %s`, (client) => {
      it('gives typed errors, and the next call after its restart works', async () => {
        const storage = await openSql(server.url, { client, timeoutMs: 2_000 })
        const id = `killed-${client}`
        const acknowledged: string[] = []
        const write = async (text: string, to: Storage = storage) => {
          await to.memory(id).addUserInput(text)
          acknowledged.push(text)
        }
        for (let i = 0; i < 10; i++) await write(`before ${i}`)
        await server.kill()
        const brief = openPg(client, server.url)
        const error = await failure(openSql(server.url, { client }))
        expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
        // A write that begins while the server is away waits for it.
        const waiting = write('meanwhile')
        const reading = storage.memory(id).getItems()
        await new Promise((resolve) => setTimeout(resolve, 500))
        await server.restart()
        await waiting
        expect((await reading).length).toBeGreaterThanOrEqual(10)
        for (let i = 0; i < 3; i++) await write(`after ${i}`)
        const items = (await storage.memory(id).getItems()).map((item) => JSON.stringify(item))
        expect(items).toHaveLength(acknowledged.length)
        for (const [i, text] of acknowledged.entries()) expect(items[i]).toContain(`"${text}"`)
        await storage.close()
        await brief.close()
      })

      it('is STORAGE_FAILED with an outcome where it stays away', async () => {
        const storage = await openSql(server.url, { client, attempts: 3, timeoutMs: 2_000 })
        await storage.memory('stays-away').addUserInput('x')
        await server.kill()
        const write = await failure(storage.memory('stays-away').addUserInput('y'))
        expect(write).toMatchObject({ code: 'STORAGE_FAILED', outcome: expect.any(String) })
        const read = await failure(storage.memory('stays-away').getItems())
        expect(read).toMatchObject({ code: 'STORAGE_FAILED' })
        await server.restart()
        expect((await storage.memory('stays-away').getItems()).length).toBeGreaterThan(0)
        await storage.close()
      }, 120_000)
    })
  }
}
