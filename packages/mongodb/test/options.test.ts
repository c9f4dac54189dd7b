import { describe, expect, it } from 'vitest'
import { type MongodbDatabase, mongodbDriver, mongodbStorage, openMongodb } from '../src/index.ts'
import { clients } from './support/clients.ts'
import { failure } from './support/failure.ts'

const invalid = { code: 'INVALID_ARGUMENT' }
/** Nothing listens here: a check that came too late would fail otherwise. */
const URL = 'mongodb://127.0.0.1:9/agents?serverSelectionTimeoutMS=300'
const anything = (value: unknown) => value as never
const { MongoClient } = clients['mongodb 7']

describe('openMongodb refuses before anything is opened', () => {
  it.each([
    undefined,
    null,
    7,
    {},
    '',
    'agents',
    'postgres://localhost/agents',
    'mongodb:localhost/agents',
    'mongodb://',
    'mongodb:///agents',
    'mongodb://localhost',
    'mongodb://localhost/',
    'mongodb://localhost/?w=1',
    'mongodb://localhost/a%20b',
    'mongodb://localhost/a.b',
    'mongodb://localhost/%ZZ',
    `mongodb://localhost/${'a'.repeat(64)}`,
  ])('the URL %j', async (url) => {
    await expect(openMongodb(anything(url))).rejects.toMatchObject(invalid)
  })

  it.each([
    null,
    [],
    'holdfast',
    { colection: 'x' },
    { collection: '' },
    { collection: 7 },
    { collection: '$x' },
    { collection: 'a b' },
    { collection: '.a' },
    { collection: 'system.views' },
    { collection: 'a'.repeat(65) },
    { ttlMs: 599_999 },
    { ttlMs: 600_000.5 },
    { ttlMs: Number.NaN },
    { ttlMs: Infinity },
    { ttlMs: '600000' },
    { setup: 'yes' },
    { readConcern: 'local' },
    { timeoutMs: 0 },
    { attempts: 0 },
    { encryption: {} },
  ])('the options %j', async (options) => {
    await expect(openMongodb(URL, anything(options))).rejects.toMatchObject(invalid)
    const client = new MongoClient(URL)
    await expect(mongodbStorage(client.db(), anything(options))).rejects.toMatchObject(invalid)
    await expect(mongodbDriver(client.db(), anything(options))).rejects.toMatchObject(invalid)
    await client.close()
  })

  it('an option of the URL that the client does not know, without a word of the URL', async () => {
    const secret = 'p4ssw0rd-p4ssw0rd'
    for (const url of [
      `mongodb://someone:${secret}@127.0.0.1:9/agents?retryWrites=perhaps`,
      `mongodb://someone:${secret}@127.0.0.1:99999999/agents`,
      `mongodb://someone:${secret}%@127.0.0.1:9/agents`,
    ]) {
      const error = await failure(openMongodb(url))
      expect(error).toMatchObject(invalid)
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(secret)
    }
  })
})

describe('openMongodb where no server is', () => {
  it('says so, and neither user nor password', async () => {
    const url = 'mongodb://someone:p4ssw0rd@127.0.0.1:9/agents?serverSelectionTimeoutMS=300'
    const error = await failure(openMongodb(url))
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    expect(error.message).toMatch(/agents.*holdfast_sessions.*MongoServerSelectionError/)
    expect(`${error.message} ${error.stack}`).not.toMatch(/someone|p4ssw0rd/)
  })

  it('waits no longer than timeoutMs, unless the URL says otherwise', async () => {
    const began = performance.now()
    const error = await failure(openMongodb('mongodb://127.0.0.1:9/agents', { timeoutMs: 200 }))
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    // The client's own default is 30,000 ms.
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})

describe('mongodbStorage refuses', () => {
  it.each([undefined, null, 7, {}, [], { collection() {} }, 'mongodb://localhost/agents'])(
    '%j, which is no database',
    async (db) => {
      await expect(mongodbStorage(anything(db))).rejects.toMatchObject(invalid)
    },
  )

  it.each(Object.entries(clients))(
    'a client of %s, with the way to its database',
    async (_, its) => {
      const client = new its.MongoClient(URL)
      const error = await failure(mongodbStorage(anything(client)))
      expect(error).toMatchObject(invalid)
      expect(error.message).toContain("db('name')")
      await client.close()
    },
  )
})

it('types a database of either client as it is', () => {
  const typed = (db: MongodbDatabase) => db.databaseName
  const seven = new clients['mongodb 7'].MongoClient(URL).db('seven')
  const six = new clients['mongodb 6'].MongoClient(URL).db('six')
  expect([typed(seven), typed(six)]).toEqual(['seven', 'six'])
})
