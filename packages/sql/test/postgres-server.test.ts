import { openTcpProxy, postgres, useService } from '@holdfast/services'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { withReplicas } from 'drizzle-orm/pg-core'
import pg from 'pg'
import * as runner from 'vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numbered } from '../src/dialects/pg.ts'
import { pgStatements } from '../src/dialects/pg-statements.ts'
import { openSql, sqlDriver, sqlStorage } from '../src/index.ts'
import { changedUrl, clientNames, openPg, PgProbe } from './support/postgres.ts'
import { buildPrograms, type Programs } from './support/programs.ts'

const server = await useService(postgres, runner)

if (server) {
  const probe = new PgProbe(server.url)
  let programs: Programs
  beforeAll(async () => {
    programs = await buildPrograms('set-up')
  })
  afterAll(async () => {
    programs.remove()
    await probe.close()
  })

  describe(`setup on ${server.version}`, () => {
    it('succeeds in ten processes at once, and each stores its session', async () => {
      await probe.query('CREATE DATABASE ten_processes')
      const url = changedUrl(server.url, { database: 'ten_processes' })
      const ids = Array.from({ length: 10 }, (_, i) => `process-${i}`)
      const results = await Promise.all(ids.map((id) => programs.start('set-up', [url, id]).ended))
      for (const { output } of results) expect(output).toBe('done\n')
      const own = new PgProbe(url)
      const stored = await own.query('SELECT id FROM holdfast_sessions ORDER BY id')
      expect(stored.map(({ id }) => id)).toEqual(ids.map((id) => `m0:${id}`))
      await own.close()
    })

    it.each(clientNames)(
      'succeeds on ten connections at once, with a schema, through %s',
      async (client) => {
        const table = `ten_${client}.agent`
        const opened = Array.from({ length: 10 }, () => openPg(client, server.url, 1))
        const storages = await Promise.all(opened.map(({ db }) => sqlStorage(db, { table })))
        await storages[0]?.memory('a').addUserInput('x')
        expect(await storages[9]?.memory('a').getItems()).toHaveLength(1)
        for (const { close } of opened) await close()
      },
    )
  })

  describe.each(clientNames)(`${server.version} through %s`, (client) => {
    it.each(['repeatable read', 'serializable'])(
      'loses and doubles nothing where every transaction is %s',
      async (level) => {
        const role = `${level.replace(' ', '_')}_${client}`
        await probe.query(`CREATE ROLE ${role} LOGIN SUPERUSER`)
        await probe.query(`ALTER ROLE ${role} SET default_transaction_isolation = '${level}'`)
        const url = changedUrl(server.url, { user: role })
        const opened = [openPg(client, url), openPg(client, url)]
        const storages = await Promise.all(opened.map(({ db }) => sqlStorage(db, { table: role })))
        const texts = Array.from({ length: 60 }, (_, i) => `item ${i}`)
        await Promise.all(texts.map((text, i) => storages[i % 2]?.memory('a').addUserInput(text)))
        const items = (await storages[0]?.memory('a').getItems()) ?? []
        const found = items.map((item) => /item \d+/.exec(JSON.stringify(item))?.[0])
        expect(found.sort()).toEqual(texts.sort())
        const drivers = await Promise.all(opened.map(({ db }) => sqlDriver(db, { table: role })))
        const first = { revision: 'r', head: '{}', entries: [] }
        await drivers[0]?.replace('m0:race', first, null)
        for (let round = 0; round < 20; round++) {
          const stored = await drivers[0]?.read('m0:race')
          if (!stored || stored === 'unchanged') throw new Error('the cell is gone')
          const expected = { revision: stored.revision }
          const won = await Promise.all(
            Array.from({ length: 8 }, (_, i) =>
              drivers[i % 2]?.replace(
                'm0:race',
                { ...first, revision: `r${round}-${i}` },
                expected,
              ),
            ),
          )
          expect(won.filter(Boolean)).toHaveLength(1)
        }
        for (const { close } of opened) await close()
      },
    )

    it('needs one round trip for an append and for a read', async () => {
      const proxy = await openTcpProxy(server.url)
      const storage = await openSql(proxy.url, { client, maxConnections: 1 })
      const memory = storage.memory(`trips-${client}`)
      for (let i = 0; i < 3; i++) await memory.addUserInput(`${i}`)
      await memory.getItems()
      const trips = async (work: () => Promise<unknown>) => {
        const before = proxy.traffic().roundTrips
        await work()
        return proxy.traffic().roundTrips - before
      }
      expect(await trips(() => memory.addUserInput('one'))).toBe(1)
      expect(await trips(() => memory.getItems())).toBe(1)
      await storage.close()
      await proxy.close()
    })

    it('prepares its statements, and does not where it is told so', async () => {
      const parameters = { application_name: `prepared-${client}` }
      const kept = async (prepare: boolean) => {
        const opened = openPg(client, changedUrl(server.url, { parameters }), 1)
        const storage = await sqlStorage(opened.db, { prepare })
        for (let i = 0; i < 3; i++) await storage.memory(`prepared-${client}`).addUserInput('x')
        const answer: unknown = await opened.db.execute(
          'SELECT count(*)::int AS n FROM pg_prepared_statements',
        )
        await opened.close()
        const rows = Array.isArray(answer) ? answer : (answer as { rows: unknown[] }).rows
        return (rows[0] as { n: number }).n
      }
      expect(await kept(true)).toBeGreaterThanOrEqual(3)
      // postgres.js prepares what is not ours by itself.
      expect(await kept(false)).toBeLessThanOrEqual(1)
    })

    it('goes on where its prepared statements are gone, or no longer fit the tables', async () => {
      const table = `changed_${client}`
      const opened = openPg(client, server.url, 1)
      const storage = await sqlStorage(opened.db, { table })
      const memory = storage.memory('a')
      await memory.addUserInput('1')
      await memory.addUserInput('2')
      await opened.db.execute('DEALLOCATE ALL')
      await memory.addUserInput('3')
      expect(await memory.getItems()).toHaveLength(3)
      await probe.query(`ALTER TABLE ${table}_sessions ALTER COLUMN head TYPE varchar`)
      await memory.addUserInput('4')
      expect(await memory.getItems()).toHaveLength(4)
      await opened.close()
    })

    it('works with the rights that the documentation names', async () => {
      const role = `limited_${client}`
      const database = `rights_${client}`
      await probe.query(`CREATE DATABASE ${database}`)
      const owner = changedUrl(server.url, { database })
      await (await openSql(owner, { client })).close()
      const admin = new PgProbe(owner)
      await admin.query(`CREATE ROLE ${role} LOGIN`)
      await admin.query('REVOKE ALL ON SCHEMA public FROM PUBLIC')
      await admin.query(`GRANT USAGE ON SCHEMA public TO ${role}`)
      const storage = await openSql(changedUrl(owner, { user: role }), { client })
      const refused = await storage
        .memory('a')
        .addUserInput('x')
        .catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'STORAGE_FAILED', outcome: 'not-committed' })
      await admin.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_sessions TO ${role}`)
      await admin.query(`GRANT SELECT, INSERT, DELETE ON holdfast_entries TO ${role}`)
      const memory = storage.memory('a')
      for (let i = 0; i < 5; i++) await memory.addUserInput('x')
      await memory.clear()
      expect((await storage.listMemories()).memories).toHaveLength(1)
      expect(await storage.deleteMemory('a')).toBe(true)
      await storage.purge({ olderThanMs: 600_000 })
      await storage.close()
      await admin.close()
    })

    it('says what is missing where it may not make its tables', async () => {
      const role = `nothing_${client}`
      await probe.query(`CREATE ROLE ${role} LOGIN`)
      const open = openSql(changedUrl(server.url, { user: role }), {
        client,
        table: `denied_${client}`,
      })
      await expect(open).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        message: expect.stringContaining('permission denied'),
      })
    })
  })

  describe(`${server.version}: what is stored`, () => {
    it('is gone when it is deleted and purged', async () => {
      const opened = openPg('pg', server.url)
      const driver = await sqlDriver(opened.db, { table: 'gone' })
      const storage = await sqlStorage(opened.db, { table: 'gone' })
      await storage.memory('a').addUserInput('a secret that must go')
      expect(await probe.query('SELECT body FROM gone_entries')).toHaveLength(1)
      await storage.deleteMemory('a')
      expect(await probe.query('SELECT body FROM gone_entries')).toEqual([])
      const [{ id, revision } = { id: '', revision: '' }] = await driver.list({ limit: 1 })
      expect(id).toBe('m0:a')
      await driver.delete?.(id, { revision })
      expect(await probe.query('SELECT * FROM gone_sessions')).toEqual([])
      await opened.close()
    })

    it('is found by an index in every statement that a session meets', async () => {
      const table = 'planned'
      const opened = openPg('pg', server.url)
      const driver = await sqlDriver(opened.db, { table })
      const entries = Array.from({ length: 50 }, (_, i) => `{"n":${i}}`)
      for (let i = 0; i < 300; i++) {
        await driver.replace(`m0:${i}`, { revision: 'r', head: '{}', entries }, null)
      }
      await probe.query('ANALYZE planned_sessions, planned_entries')
      const names = { sessions: `${table}_sessions`, entries: `${table}_entries` }
      const { read, replace, append, dropAndAppend, remove, list, listBefore } = pgStatements(names)
      const values: Record<string, unknown> = {
        ...{ id: 'm0:7', expected: 'r', revision: 's', head: '{}', drop: 1, skip: 3, unless: null },
        ...{ after: 'm0:', before: 'm1:', limit: 20 },
      }
      const body = { none: null, one: '{}', many: '["{}","{}"]' }
      const statements = [read, remove, list, listBefore].map((text) => ({ text, with: values }))
      for (const family of [replace, append, dropAndAppend]) {
        for (const amount of ['none', 'one', 'many'] as const) {
          const count = { none: 0, one: 1, many: 2 }[amount]
          statements.push({ text: family[amount], with: { ...values, body: body[amount], count } })
        }
      }
      for (const statement of statements) {
        const { text, names: used } = numbered(statement.text)
        const rows = await probe.query(
          `EXPLAIN ${text}`,
          ...used.map((name) => statement.with[name]),
        )
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        expect(plan, text).toMatch(/Index (Only )?Scan/)
        expect(plan, text).not.toContain('Seq Scan')
      }
      await opened.close()
    })

    it('can be read by the query of the documentation', async () => {
      const storage = await openSql(changedUrl(server.url, { database: 'postgres' }), {
        table: 'shown',
      })
      await storage.memory('user-42').addUserInput('What is the weather in Bern?')
      const rows = await probe.query(`
        SELECT n, body::json ->> 'role' AS role, body::json -> 'content' -> 0 ->> 'text' AS text
        FROM shown_sessions JOIN shown_entries USING (session)
        WHERE id = 'm0:user-42' AND body LIKE '{%' ORDER BY n`)
      expect(rows).toEqual([{ n: 0, role: 'user', text: 'What is the weather in Bern?' }])
      await storage.close()
    })

    it('goes to the primary of a database with replicas', async () => {
      const primary = new pg.Pool({ connectionString: server.url })
      const replica = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
      const storage = await sqlStorage(withReplicas(drizzlePg(primary), [drizzlePg(replica)]))
      await storage.memory('replicated').addUserInput('x')
      expect(await storage.memory('replicated').getItems()).toHaveLength(1)
      await Promise.all([primary.end(), replica.end()])
    })

    it('is refused in a database of another encoding', async () => {
      await probe.query(
        `CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`,
      )
      const open = openSql(changedUrl(server.url, { database: 'latin' }))
      await expect(open).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    })
  })

  describe('a lone connection of the caller’s own', () => {
    it('takes one statement at a time, and a transaction that was begun by hand', async () => {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      const storage = await sqlStorage(drizzlePg(client), { table: 'lone' })
      await Promise.all(['a', 'b', 'c'].map((id) => storage.memory(id).addUserInput(id)))
      await client.query('BEGIN')
      await storage.memory('a').addUserInput('lost')
      await client.query('ROLLBACK')
      expect(await storage.memory('a').getItems()).toHaveLength(1)
      await client.end()
      await expect(storage.memory('a').getItems()).rejects.toMatchObject({ code: 'CLOSED' })
    })
  })
}
