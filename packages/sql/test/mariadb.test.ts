import { type AddressInfo, connect, createServer } from 'node:net'
import { createStorage, userMessage } from '@holdfast/core'
import { mariadb, useService } from '@holdfast/services'
import { drizzle } from 'drizzle-orm/mysql2'
import { createConnection, createPool, type Pool, type PoolOptions } from 'mysql2/promise'
import * as runner from 'vitest'
import { openSql, sqlDriver, sqlStorage } from '../src/index.ts'
import { mysqlTables } from '../src/schema.ts'

const { afterEach, describe, expect, it } = runner
const server = await useService(mariadb, runner)

if (server) describe(`the driver on ${server.version}`, () => suite(server.url))

function suite(url: string) {
  const pools: Pool[] = []
  const pool = (options: PoolOptions = {}, ...session: string[]) => {
    const made = createPool({ uri: url, ...options })
    made.pool.on('connection', (connection) => {
      for (const text of session) connection.query(text)
    })
    pools.push(made)
    return made
  }
  afterEach(async () => {
    for (const made of pools.splice(0)) await made.end()
  })
  let ids = 0
  const fresh = () => `m0:mariadb-${++ids}`

  /** Every method once, with what is hard to keep. */
  async function roundTrip(client: Pool) {
    const driver = await sqlDriver(drizzle(client))
    const id = fresh()
    const hard = '{"text":"\\u0000 \\\\ \' \\" 😀 \\ud800"}'
    const state = { revision: 'r1', head: '{"é":1}', entries: [hard, 'b', 'c'] }
    expect(await driver.replace(id, state, null)).toMatchObject({ revision: 'r1' })
    expect(await driver.replace(id, state, null)).toBe(false)
    expect(await driver.read(id)).toEqual(state)
    expect(await driver.read(id, { unless: 'r1' })).toBe('unchanged')
    const change = { revision: 'r2', head: '2', drop: 2, entries: ['d', hard] }
    expect(await driver.append?.(id, change, { revision: 'r0' })).toBe(false)
    expect(await driver.append?.(id, change, { revision: 'r1' })).toMatchObject({ revision: 'r2' })
    expect(await driver.read(id, { skip: 1 })).toEqual({
      ...{ revision: 'r2', head: '2', entries: ['d', hard] },
    })
    const replaced = { revision: 'r3', head: '3', entries: [] }
    expect(await driver.replace(id, replaced, { revision: 'r2' })).toBeTruthy()
    expect(await driver.list({ limit: 1000 })).toContainEqual({ id, revision: 'r3', head: '3' })
    expect(await driver.delete?.(id, { revision: 'r3' })).toBe(true)
    expect(await driver.read(id)).toBe(null)
  }

  for (const mode of [
    ...['', 'ANSI_QUOTES', 'NO_BACKSLASH_ESCAPES', 'TRADITIONAL', 'PAD_CHAR_TO_FULL_LENGTH'],
    ...['EMPTY_STRING_IS_NULL', 'SIMULTANEOUS_ASSIGNMENT', 'ORACLE'],
  ]) {
    it(`stores the same under sql_mode '${mode}'`, () =>
      roundTrip(pool({}, `SET SESSION sql_mode = '${mode}'`)))
  }

  for (const level of ['READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']) {
    it(`works at ${level}, and never shows what is not committed`, async () => {
      const client = pool({}, `SET SESSION TRANSACTION ISOLATION LEVEL ${level}`)
      await roundTrip(client)
      const driver = await sqlDriver(drizzle(client))
      const id = fresh()
      await driver.replace(id, { revision: 'old', head: '1', entries: ['a'] }, null)
      const other = await pool().getConnection()
      await other.query('START TRANSACTION')
      await other.query('UPDATE holdfast_sessions SET revision = ? WHERE id = ?', ['dirty', id])
      expect(await driver.read(id)).toMatchObject({ revision: 'old', entries: ['a'] })
      expect((await driver.list({ limit: 1000 })).map((row) => row.revision)).not.toContain('dirty')
      await other.query('ROLLBACK')
      other.release()
    })
  }

  it("does not depend on the pool's options for rows", () =>
    roundTrip(
      pool({
        ...{ rowsAsArray: true, namedPlaceholders: true, supportBigNumbers: true },
        ...{ bigNumberStrings: true, typeCast: () => 'mine', timezone: '+09:00' },
      }),
    ))

  it('ends transactions whatever completion_type says', async () => {
    const client = pool({ connectionLimit: 1 }, 'SET SESSION completion_type = 1')
    await roundTrip(client)
    const [rows] = await client.query('SELECT @@in_transaction AS open')
    expect(rows).toEqual([{ open: 0 }])
  })

  it('refuses connections that cannot keep its promises', async () => {
    const single = await createConnection(url)
    for (const db of [
      drizzle(pool({ charset: 'latin1' })),
      drizzle(pool({}, 'SET SESSION autocommit = 0')),
      drizzle(single),
    ]) {
      await expect(sqlDriver(db)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    }
    await single.end()
  })

  it('answers false where a lock or a newer snapshot stands in the way', async () => {
    const client = pool(
      {},
      'SET SESSION innodb_lock_wait_timeout = 1',
      'SET SESSION innodb_snapshot_isolation = ON',
    )
    const driver = await sqlDriver(drizzle(client))
    const id = fresh()
    await driver.replace(id, { revision: 'r1', head: '1', entries: [] }, null)
    const other = await pool().getConnection()
    await other.query('START TRANSACTION')
    await other.query('UPDATE holdfast_sessions SET head = head WHERE id = ?', [id])
    const change = { revision: 'r2', head: '2', drop: 0, entries: ['a'] }
    expect(await driver.append?.(id, change, { revision: 'r1' })).toBe(false)
    await other.query('ROLLBACK')
    other.release()
    expect(await driver.append?.(id, change, { revision: 'r1' })).toBeTruthy()
    expect(await driver.read(id)).toMatchObject({ revision: 'r2', entries: ['a'] })
  })

  it('appends in four round trips, deletes and reads in one', async () => {
    const client = pool({ connectionLimit: 1 })
    const driver = await sqlDriver(drizzle(client))
    const id = fresh()
    await driver.replace(id, { revision: '0', head: '', entries: ['a'] }, null)
    const questions = async () => {
      const [rows] = await client.query("SHOW SESSION STATUS LIKE 'Questions'")
      return Number((rows as { Value: string }[])[0]?.Value)
    }
    const cost = async (work: () => Promise<unknown> | undefined) => {
      const before = await questions()
      await work()
      return (await questions()) - before - 1
    }
    const append = (from: number, entries: string[]) =>
      driver.append?.(
        id,
        { revision: `${from + 1}`, head: '', drop: 0, entries },
        { revision: `${from}` },
      )
    await append(0, ['b'])
    expect(await cost(() => append(1, ['c']))).toBe(4)
    await append(2, ['d', 'e', 'f'])
    expect(await cost(() => append(3, ['g', 'h', 'i']))).toBe(4)
    await driver.read(id)
    expect(await cost(() => driver.read(id))).toBe(1)
  })

  it('splits what does not fit into one packet, and calls an entry that does not too large', async () => {
    const root = await createConnection(url)
    await root.query('SET GLOBAL max_allowed_packet = 2097152')
    try {
      const driver = await sqlDriver(drizzle(pool()))
      const id = fresh()
      const entries = Array.from({ length: 5 }, (_, i) => `${i}${'x'.repeat(2 ** 20 - 1)}`)
      expect(await driver.replace(id, { revision: 'r1', head: '', entries }, null)).toBeTruthy()
      expect(await driver.read(id)).toMatchObject({ entries })
      await root.query('SET GLOBAL max_allowed_packet = 1048576')
      const small = await sqlDriver(drizzle(pool()))
      const change = { revision: 'r2', head: '', drop: 0, entries: ['a', 'x'.repeat(2 ** 20)] }
      const error = await small.append?.(id, change, { revision: 'r1' }).catch((e: unknown) => e)
      expect(small.classify?.(error)).toBe('too-large')
      expect(await small.read(id, { skip: 5 })).toMatchObject({ revision: 'r1', entries: [] })
    } finally {
      await root.query('SET GLOBAL max_allowed_packet = 16777216')
      await root.end()
    }
  })

  it('keeps rows that a person can read, finds them by an index, and leaves none of what was deleted', async () => {
    const client = pool()
    const storage = await sqlStorage(drizzle(client))
    await storage.memory('probed').addUserInput('hello')
    const query = `SELECT CONVERT(s.id USING utf8mb4) AS id, e.n, e.body FROM holdfast_sessions s
      JOIN holdfast_entries e ON e.session = s.session WHERE s.id = 'm0:probed' ORDER BY e.n`
    const [rows] = await client.query(query)
    expect(rows).toMatchObject([{ id: 'm0:probed', n: 0, body: expect.stringContaining('hello') }])
    const [plan] = await client.query(`EXPLAIN ${query}`)
    for (const { key } of plan as { key: string | null }[]) expect(key).not.toBe(null)
    await storage.deleteMemory('probed')
    expect((await client.query(query))[0]).toEqual([])
  })

  it('lives on when every idle connection is cut', async () => {
    const storage = await openSql(url, { maxConnections: 3 })
    const memory = storage.memory(`idle-${Date.now()}`)
    await Promise.all([1, 2, 3].map(() => memory.getItems()))
    await memory.addUserInput('before')
    const root = await createConnection(url)
    const [list] = await root.query('SHOW PROCESSLIST')
    for (const { Id } of list as { Id: number }[]) {
      if (Id !== root.threadId) await root.query(`KILL ${Id}`).catch(() => {})
    }
    await root.end()
    await new Promise((resolve) => setTimeout(resolve, 200))
    await memory.addUserInput('after')
    expect(await memory.getItems()).toHaveLength(2)
    await storage.close()
  })

  it('makes the tables for ten storages at once', async () => {
    const table = `ten_${Date.now()}`
    const storages = await Promise.all(
      Array.from({ length: 10 }, () => openSql(url, { table, maxConnections: 1 })),
    )
    await Promise.all(storages.map((storage, i) => storage.memory(`${i}`).addUserInput('x')))
    for (const storage of storages) await storage.close()
  })

  it('ends a connection that does not answer, so that the pool goes on', async () => {
    const { port, hostname } = new URL(url)
    let silent = false
    const proxy = createServer((near) => {
      const far = connect(Number(port), hostname)
      near.pipe(far)
      far.on('data', (chunk) => silent || near.write(chunk))
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.on('error', () => {}).on('close', () => other.destroy())
      }
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const through = new URL(url)
    through.port = String((proxy.address() as AddressInfo).port)
    const options = { maxConnections: 1, timeoutMs: 300, attempts: 1 }
    const storage = await openSql(through.href, options)
    const memory = storage.memory(`silent-${Date.now()}`)
    await memory.addUserInput('before')
    silent = true
    await expect(memory.addUserInput('unheard')).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    silent = false
    await expect
      .poll(
        () =>
          memory.getItems().then(
            (items) => items.length,
            () => 0,
          ),
        { timeout: 10_000 },
      )
      .toBeGreaterThan(0)
    await memory.addUserInput('after')
    expect(JSON.stringify(await memory.getItems())).toContain('after')
    await storage.close()
    proxy.close()
  })

  it('makes tables that other writers with few rights can use, under another database', async () => {
    const root = await createConnection(url)
    await root.query("CREATE USER few@'%' IDENTIFIED BY 'x'")
    const storage = await openSql(url, { table: 'elsewhere.agent' })
    await storage.close()
    await root.query("GRANT SELECT, INSERT, UPDATE, DELETE ON elsewhere.* TO few@'%'")
    const few = await openSql(url.replace('root@', 'few:x@').replace(/[^/]*$/, 'elsewhere'), {
      table: 'agent',
    })
    const memory = few.memory('a')
    for (const text of ['one', 'two']) await memory.addUserInput(text)
    await memory.clear()
    await memory.addUserInput('three')
    expect(await memory.getItems()).toHaveLength(1)
    expect(await few.deleteMemory('a')).toBe(true)
    await few.close()
    await root.query('DROP DATABASE elsewhere')
    await root.query('DROP USER few')
    await root.end()
  })

  it('works on the tables that drizzle-kit makes from mysqlTables()', async () => {
    const { generateMySQLDrizzleJson, generateMySQLMigration } = await import('drizzle-kit/api')
    const { sessions, entries } = mysqlTables('migrated')
    const empty = await generateMySQLDrizzleJson({})
    const statements = await generateMySQLMigration(
      empty,
      await generateMySQLDrizzleJson({ sessions, entries }),
    )
    const client = pool()
    for (const text of statements) await client.query(text)
    await openSql(url, { table: 'made' }).then((storage) => storage.close())
    const columns = async (table: string) => {
      const [rows] = await client.query(
        `SELECT column_name, column_type, is_nullable, collation_name, column_key, extra FROM information_schema.columns
          WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position`,
        [table],
      )
      return rows
    }
    for (const table of ['sessions', 'entries']) {
      expect(await columns(`migrated_${table}`)).toEqual(await columns(`made_${table}`))
    }
    const storage = await sqlStorage(drizzle(client), { table: 'migrated', setup: false })
    await storage.memory('a').addUserInput('x')
    expect(
      await client.query('SELECT 1 FROM migrated_entries').then(([rows]) => rows),
    ).toHaveLength(1)
    const [row] = await drizzle(client).select().from(sessions)
    expect(row).toMatchObject({ id: 'm0:a', first: 0, next: 1 })
  })

  it('never shows a password', async () => {
    const secret = 'hunter2'
    for (const wrong of [
      `mysql://root:${secret}@127.0.0.1:1/holdfast`,
      `mysql://root:${secret}@127.0.0.1:1`,
      `mysql://root:${secret}@:x/holdfast`,
      `mariadb://root:${secret}%@127.0.0.1/holdfast`,
      url.replace('root@', `nobody:${secret}@`),
    ]) {
      const error = await openSql(wrong).catch((e: unknown) => e as Error)
      const { message, stack, cause } = error as Error
      expect({ message, code: (error as { code?: string }).code }).toMatchObject({
        code: expect.stringMatching(/^(INVALID_ARGUMENT|STORAGE_FAILED)$/),
      })
      expect(`${message} ${stack} ${JSON.stringify(cause)} ${String(cause)}`).not.toContain(secret)
    }
  })

  it("writes inside a caller's transaction, which decides; and not after it", async () => {
    const db = drizzle(pool())
    const outside = await sqlStorage(db)
    const id = `tx-${Date.now()}`
    await expect(
      db.transaction(async (tx) => {
        const storage = await sqlStorage(tx)
        await storage.memory(id).addUserInput('gone')
        expect(await storage.memory(id).getItems()).toHaveLength(1)
        throw new Error('back')
      }),
    ).rejects.toThrow('back')
    expect(await outside.memory(id).getItems()).toEqual([])
    const leaked = await db.transaction(async (tx) => {
      const storage = await sqlStorage(tx)
      await storage.memory(id).addOutputItems([userMessage('kept')])
      return storage
    })
    expect(await outside.memory(id).getItems()).toHaveLength(1)
    await expect(leaked.memory(id).addUserInput('late')).rejects.toMatchObject({ code: 'CLOSED' })
    expect(await outside.memory(id).getItems()).toHaveLength(1)
  })

  it('is killed and restarted: errors with a code, and nothing acknowledged is lost', async () => {
    if (!server?.owned) return
    const storage = createStorage(await sqlDriver(drizzle(pool())), {
      attempts: 2,
      timeoutMs: 2000,
    })
    const memory = storage.memory(`killed-${Date.now()}`)
    await memory.addUserInput('before')
    await server.kill()
    await expect(memory.addUserInput('while down')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
    })
    await server.restart()
    await memory.addUserInput('after')
    const texts = JSON.stringify(await memory.getItems())
    expect(texts).toContain('before')
    expect(texts).toContain('after')
    await storage.close()
  }, 120_000)
}
