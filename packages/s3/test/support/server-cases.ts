import { createStorage } from '@holdfast/core'
import type { S3Service, ServiceSetup } from '@holdfast/services'
import { useService } from '@holdfast/services'
import * as runner from 'vitest'
import { openS3, s3Driver, s3Storage } from '../../src/index.ts'
import { clientOf } from './client.ts'
import { countRequests, freshPrefix, Probe } from './places.ts'

const { describe, expect, it } = runner

/** Ids that a path, a pattern, a file system or a sort could take for another. */
const HOSTILE = [
  ...[
    'a',
    'A',
    'a ',
    ' a',
    'é',
    'e\u0301',
    '..',
    '.',
    '../a',
    '/',
    '//',
    'a/b',
    'a/',
    'a\\b',
    '*',
    '%2F',
    '~',
    '-',
  ],
  ...[
    'a-',
    'a~',
    'ab',
    '😀',
    '<&>"',
    "'",
    '?x=1',
    '#x',
    '+',
    'con',
    'x'.repeat(96),
    'x'.repeat(97),
    'x'.repeat(98),
  ],
  ...['x'.repeat(200), 'x'.repeat(255), `${'x'.repeat(97)}a`, 'ü'.repeat(127)],
]

const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

const text = (item: unknown) => /"text":"([^"]*)"/.exec(JSON.stringify(item))?.[1]

/** What the suite of conformance cannot see: what is stored, and by how many requests. */
export async function serverCases(
  setup: ServiceSetup<S3Service>,
  { conditionalDelete }: { readonly conditionalDelete: boolean },
): Promise<void> {
  const server = await useService(setup, runner)
  if (!server) return
  const { client, bucket } = clientOf(server)
  const probe = new Probe(client, bucket)
  runner.afterAll(() => client.destroy())

  /** A storage under a prefix of its own, and how its client's requests are counted. */
  const open = async (prefix = freshPrefix()) => {
    const { client: own } = clientOf(server)
    const storage = await s3Storage(own, { bucket, prefix })
    const requests = countRequests(own)
    return { prefix, storage, requests }
  }

  describe(server.version, () => {
    it('is opened by its URL, and leaves nothing of the probe', async () => {
      const url = server.url.replace(/\/holdfast\?/, `/${freshPrefix()}?`)
      const prefix = new URL(url).pathname.slice(1)
      const storage = await openS3(url, { credentials: server.credentials })
      await storage.memory('one').addUserInput('hello')
      expect(await storage.memory('one').getItems()).toHaveLength(1)
      await storage.close()
      expect(await probe.keys(`${prefix}/`)).toEqual([
        `${prefix}/heads/${Buffer.from('m0:one').toString('hex')}-`,
      ])
    })

    it('is probed by ten at once', async () => {
      const prefix = freshPrefix()
      await Promise.all(Array.from({ length: 10 }, () => s3Driver(client, { bucket, prefix })))
      expect(await probe.keys(`${prefix}/`)).toEqual([])
    })

    it(`${conditionalDelete ? 'deletes conditionally' : 'does not delete conditionally'}, as the probe finds by some 25 requests`, async () => {
      const { client: own } = clientOf(server)
      const requests = countRequests(own)
      const driver = await s3Driver(own, { bucket, prefix: freshPrefix() })
      expect(driver.delete !== undefined).toBe(conditionalDelete)
      const sent = [...requests.values()].reduce((sum, count) => sum + count, 0)
      // Its races are meant to meet: a server may answer some with 500, and those are sent again.
      expect(sent).toBeLessThanOrEqual(25 + 15)
      own.destroy()
    })

    it('names a wrong key and a missing bucket, and no secret', async () => {
      const secretAccessKey = 'wrong-secret-text'
      const credentials = { accessKeyId: server.credentials.accessKeyId, secretAccessKey }
      const missing = server.url.replace('s3://holdfast', 's3://no-such-bucket')
      for (const [url, key] of [
        [server.url, credentials],
        [missing, server.credentials],
      ] as const) {
        const error = await openS3(url, { credentials: key }).catch((thrown) => thrown)
        expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
        expect(String(error.message)).not.toContain(key.secretAccessKey)
      }
    })

    it('keeps hostile ids apart, in the order of their bytes, and lists them by pages', async () => {
      const { storage, prefix } = await open()
      await Promise.all(HOSTILE.map((id) => storage.memory(id).addUserInput(id)))
      const sorted = [...HOSTILE].sort(byBytes)
      const { memories } = await storage.listMemories({ limit: 1_000 })
      expect(memories.map(({ id }) => id)).toEqual(sorted)
      const paged: string[] = []
      for (let after: string | undefined; ; ) {
        const page = await storage.listMemories({ limit: 4, after })
        paged.push(...page.memories.map(({ id }) => id))
        if (!page.next) break
        after = page.next
      }
      expect(paged).toEqual(sorted)
      for (const id of HOSTILE) {
        const items = await storage.memory(id).getItems()
        expect(items).toHaveLength(1)
        expect(JSON.stringify(items)).toContain(JSON.stringify(id).slice(1, -1))
      }
      for (const key of await probe.keys(`${prefix}/`)) {
        expect(key).toMatch(/^[\w./~-]+$/)
        for (const part of key.split('/')) expect(part.length).toBeLessThan(256)
      }
    })

    it('stores a head of two lines and segments of entries', async () => {
      const { storage, prefix } = await open()
      const memory = storage.memory('story')
      await memory.addUserInput(
        Array.from({ length: 30 }, (_, at) => ({
          type: 'message',
          role: 'user',
          content: `${at} ${'x'.repeat(10_000)}`,
        })),
      )
      const hex = Buffer.from('m0:story').toString('hex')
      const [head = '', ...segments] = await probe.keys(`${prefix}/`)
      expect(head).toBe(`${prefix}/heads/${hex}-`)
      expect(segments).toHaveLength(1)
      expect(segments[0]).toMatch(new RegExp(`^${prefix}/segments/${hex}-/[a-z0-9]+$`))
      const [first = '', second = ''] = (await probe.text(head)).split('\n')
      expect(JSON.parse(first)).toMatchObject({ v: 1, id: 'm0:story' })
      const { entries, segments: named } = JSON.parse(second)
      const older = JSON.parse(await probe.text(segments[0] ?? ''))
      expect(
        [...older, ...entries].map((entry) => JSON.parse(entry).content.split(' ')[0]),
      ).toEqual(Array.from({ length: 30 }, (_, at) => `${at}`))
      expect(named).toMatchObject([{ count: older.length }])
    })

    it('leaves nothing of what is deleted but a tombstone, and of that nothing once it is purged', async () => {
      const { storage, prefix } = await open()
      const memory = storage.memory('secret')
      await memory.addUserInput(`sesame ${'x'.repeat(200_000)}`)
      expect(await probe.keys(`${prefix}/segments/`)).toHaveLength(1)
      await storage.deleteMemory('secret')
      expect(await probe.keys(`${prefix}/segments/`)).toEqual([])
      const [head = ''] = await probe.keys(`${prefix}/`)
      expect(await probe.text(head)).not.toContain('sesame')
      const { now } = Date
      try {
        Date.now = () => now() + 8 * 86_400_000
        const purged = conditionalDelete ? { removed: 1, kept: 0 } : { removed: 0, kept: 1 }
        // Signed with a clock of its own, so that a server does not refuse the time of a test.
        const aged = await s3Driver(clientAt(server, -8 * 86_400_000), { bucket, prefix })
        expect(await createStorage(aged).purge()).toEqual({ ...purged, swept: 0 })
      } finally {
        Date.now = now
      }
      expect(await probe.keys(`${prefix}/`)).toHaveLength(conditionalDelete ? 0 : 1)
    })

    it('sweeps what interrupted writers left, and nothing else', async () => {
      const { storage, prefix } = await open()
      await storage.memory('kept').addUserInput('x'.repeat(200_000))
      const kept = await probe.keys(`${prefix}/`)
      const of = (id: string) => `${prefix}/segments/${Buffer.from(id).toString('hex')}-`
      await probe.put(`${of('m0:kept')}/orphan1`, '[]')
      await probe.put(`${of('m0:gone')}/orphan2`, '[]')
      expect(await storage.purge()).toMatchObject({ swept: 0 })
      // A clock that runs ahead makes nothing old: a writer may be about to name it.
      const { now } = Date
      try {
        Date.now = () => now() + 8 * 86_400_000
        const ahead = await s3Driver(clientAt(server, -8 * 86_400_000), { bucket, prefix })
        expect(await createStorage(ahead).purge()).toMatchObject({ swept: 0 })
      } finally {
        Date.now = now
      }
      const aged = await s3Driver(agedClient(server), { bucket, prefix })
      expect(await createStorage(aged).purge()).toMatchObject({ swept: 2 })
      expect(await probe.keys(`${prefix}/`)).toEqual(kept)
      await storage.memory('kept').addUserInput('more')
      expect(await storage.memory('kept').getItems()).toHaveLength(2)
    })

    it('appends by one request, and reads what did not change by one', async () => {
      const { storage, requests } = await open()
      const memory = storage.memory('one')
      await memory.addUserInput('first')
      requests.clear()
      for (let at = 0; at < 20; at++) await memory.addUserInput(`${at}`)
      expect([...requests]).toEqual([['PutObject', 20]])
      requests.clear()
      await memory.getItems()
      expect([...requests]).toEqual([
        ['GetObject', 1],
        ['304', 1],
      ])
    })

    it('recognises its own write where the client sends each one twice, as its retry does', async () => {
      const { client: own } = clientOf(server)
      const prefix = freshPrefix()
      const storage = await s3Storage(own, { bucket, prefix })
      own.middlewareStack.add(
        (next, { commandName }) =>
          async (args) => {
            // The answer to the first one is lost.
            if (commandName === 'PutObjectCommand') await next(args)
            return next(args)
          },
        { step: 'finalizeRequest', priority: 'low', name: 'twice' },
      )
      const memory = storage.memory('one')
      for (let at = 0; at < 5; at++) await memory.addUserInput(`${at}`)
      await memory.addUserInput('x'.repeat(100_000))
      const items = await (await open(prefix)).storage.memory('one').getItems()
      expect(items.map(text)).toEqual(['0', '1', '2', '3', '4', 'x'.repeat(100_000)])
      own.destroy()
    })

    it('lists a page by one request for the keys and one for each head', async () => {
      const { storage, requests } = await open()
      for (const id of ['a', 'b', 'c', 'd', 'e']) await storage.memory(id).addUserInput(id)
      requests.clear()
      expect(await storage.listMemories({ limit: 3 })).toMatchObject({ next: 'c' })
      // One more than asked for tells whether there is a next page.
      expect([...requests]).toEqual([
        ['ListObjectsV2', 1],
        ['GetObject', 4],
      ])
    })

    it('loads a session of 1,000 turns by a bounded number of requests', async () => {
      const { storage, prefix, requests } = await open()
      const memory = storage.memory('long')
      const turn = (at: number) => [
        { type: 'message', role: 'user', content: `${at} ${'q'.repeat(300)}` },
        { type: 'function_call', callId: `c${at}`, name: 'look', arguments: '{"at":1}' },
        { type: 'function_call_output', callId: `c${at}`, output: 'o'.repeat(800) },
        { type: 'message', role: 'assistant', content: 'a'.repeat(500) },
      ]
      requests.clear()
      for (let at = 0; at < 1_000; at += 10) {
        await memory.addUserInput(Array.from({ length: 10 }, (_, one) => turn(at + one)).flat())
      }
      const written = new Map(requests)
      const cold = await open(prefix)
      cold.requests.clear()
      expect(await cold.storage.memory('long').getItems()).toHaveLength(4_000)
      const loads = [...cold.requests.values()].reduce((sum, count) => sum + count, 0)
      console.log(
        `${server.version}: 1,000 turns: written by ${JSON.stringify([...written])}, loaded by ${loads} requests`,
      )
      expect([...cold.requests.keys()]).toEqual(['GetObject'])
      expect(loads).toBeLessThanOrEqual(20)
    })

    it('calls a head that is no head CORRUPT, shows its neighbours, and deletes it', async () => {
      const { storage, prefix } = await open()
      const key = `${prefix}/heads/${Buffer.from('m0:broken').toString('hex')}-`
      await probe.put(`${prefix}/heads/readme.txt`, 'not ours')
      await storage.memory('fine').addUserInput('hello')
      for (const [harm, seen] of [
        [() => '<html>', false],
        [(text: string) => text.replace('"v":1', '"v":"x"'), false],
        [(text: string) => text.replace(/"guard":"\w+"/, '"guard":7'), false],
        [(text: string) => text.replace('"segments":[]', '"segments":[null]'), true],
        [(text: string) => text.replace(/"entries":\[.*\]/, '"entries":[7]'), true],
      ] as const) {
        await storage.memory('broken').addUserInput('hello')
        await probe.put(key, harm(await probe.text(key)))
        await expect(storage.memory('broken').getItems()).rejects.toMatchObject({ code: 'CORRUPT' })
        const { memories } = await storage.listMemories()
        // A list reads the first line alone.
        expect(memories.map(({ id, updatedAt }) => [id, updatedAt !== undefined])).toEqual([
          ['broken', seen],
          ['fine', true],
        ])
        expect(await storage.deleteMemory('broken')).toBe(true)
      }
      expect((await storage.memory('fine').getItems()).map(text)).toEqual(['hello'])
    })

    it('leaves what a later version wrote, and what cannot be read, with all their segments', async () => {
      const { storage, prefix } = await open()
      const key = (id: string) => `${prefix}/heads/${Buffer.from(`m0:${id}`).toString('hex')}-`
      for (const id of ['fine', 'later']) {
        await storage.memory(id).addUserInput('x'.repeat(200_000))
      }
      const written = await probe.text(key('later'))
      for (const [head, code] of [
        ['<html>', 'CORRUPT'],
        [written.replace('"v":1', '"v":0'), 'CORRUPT'],
        [written.replace('"v":1', '"v":2'), 'UNSUPPORTED'],
      ] as const) {
        await probe.put(key('later'), head)
        const before = await probe.keys(`${prefix}/`)
        const { storage: cold } = await open(prefix)
        await expect(cold.memory('later').getItems()).rejects.toMatchObject({ code })
        await expect(cold.memory('later').addUserInput('more')).rejects.toMatchObject({
          code,
          outcome: 'not-committed',
        })
        const { memories } = await cold.listMemories()
        expect(memories.map(({ id, updatedAt }) => [id, updatedAt !== undefined])).toEqual([
          ['fine', true],
          ['later', false],
        ])
        const purged = createStorage(await s3Driver(agedClient(server), { bucket, prefix })).purge()
        if (code === 'CORRUPT') expect(await purged).toMatchObject({ swept: 0 })
        else await expect(purged).rejects.toMatchObject({ code })
        expect(await probe.text(key('later'))).toBe(head)
        expect(await probe.keys(`${prefix}/`)).toEqual(before)
      }
      await expect(storage.deleteMemory('later')).rejects.toMatchObject({ code: 'UNSUPPORTED' })
      // Mended, it is whole.
      await probe.put(key('later'), written)
      expect(await storage.memory('later').getItems()).toHaveLength(1)
    })

    it('calls a segment that is lost or garbage CORRUPT', async () => {
      const { storage, prefix } = await open()
      await storage.memory('cut').addUserInput('x'.repeat(200_000))
      const [key = ''] = await probe.keys(`${prefix}/segments/`)
      for (const harm of [() => probe.put(key, '<html>'), () => probe.remove(key)]) {
        await harm()
        const cold = await open(prefix)
        await expect(cold.storage.memory('cut').getItems()).rejects.toMatchObject({
          code: 'CORRUPT',
        })
      }
    })

    it('works without the probe, told what it would have found', async () => {
      const { client: own } = clientOf(server)
      const requests = countRequests(own)
      const prefix = freshPrefix()
      const etagQuotes = conditionalDelete
      const storage = await s3Storage(own, { bucket, prefix, setup: false, etagQuotes })
      expect(requests.size).toBe(0)
      const memory = storage.memory('one')
      for (let at = 0; at < 3; at++) await memory.addUserInput(`${at}`)
      expect(await memory.getItems()).toHaveLength(3)
    })
  })
}

/** A client whose clock is `offset` ms away from that of the process. */
function clientAt(server: S3Service, offset: number) {
  const { client } = clientOf(server)
  client.config.systemClockOffset = offset
  return client
}

/** A client to which everything was written 8 days ago. */
function agedClient(server: S3Service) {
  const { client } = clientOf(server)
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args)
      const { Contents = [] } = answer.output as { Contents?: { LastModified?: Date }[] }
      for (const { LastModified } of Contents)
        LastModified?.setTime(LastModified.getTime() - 8 * 86_400_000)
      return answer
    },
    { step: 'initialize', name: 'aged' },
  )
  return client
}
