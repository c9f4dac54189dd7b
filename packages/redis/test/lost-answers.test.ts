import { redis, useService } from '@holdfast/services'
import { Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { openRedis, redisDriver, redisStorage } from '../src/index.ts'
import { state } from './support/cells.ts'
import { proxyOf } from './support/proxy.ts'

const server = await useService(redis, runner)
const port = Number(new URL(server?.url ?? 'redis://x:1').port)

describe.runIf(server)('a connection that is cut when the answer of a write comes', () => {
  for (const [name, connect] of [
    ['ioredis 6', (url: string) => new Redis(url, { retryStrategy: () => 1 })],
    ['ioredis 5', (url: string) => new Redis5(url, { retryStrategy: () => 1 })],
  ] as const) {
    it(`${name} sends the write again: it is a lost race to the driver, and stored once`, async () => {
      const proxy = await proxyOf(port)
      const client = connect(proxy.url)
      client.on('error', () => {})
      const driver = await redisDriver(client, { prefix: crypto.randomUUID() })
      const [a, b] = [state('1'), state('2')]
      // The server knows the script, so that the answer is that of the write.
      await driver.append?.('m0:a', { ...a, drop: 0 }, { revision: 'none' })
      await driver.replace('m0:b', a, null)
      let once = true
      proxy.when(() => {
        const now = once
        once = false
        return now
      })
      expect(await driver.append?.('m0:b', { ...b, drop: 0 }, a)).toBe(false)
      expect(proxy.cuts).toBe(1)
      expect(await driver.read('m0:b')).toEqual({ ...b, entries: ['1', '2'] })
      client.disconnect()
      proxy.close()
    })
  }

  it.each([
    ['a client that sends again', {}],
    ['a client that does not', { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 }],
  ])(
    '%s: of 100 adds with 30 %% of the answers lost, each item is stored once',
    async (_, settings) => {
      const proxy = await proxyOf(port)
      const client = new Redis(proxy.url, { retryStrategy: () => 1, ...settings })
      client.on('error', () => {})
      const storage = await redisStorage(client, { prefix: crypto.randomUUID() })
      const memory = storage.memory('a')
      // The connection's own greeting counts as an answer: it, too, is lost now and then.
      let seed = 7
      proxy.when(() => {
        seed = (seed * 48_271) % 2_147_483_647
        return seed % 10 < 3
      })
      const words = Array.from({ length: 100 }, (_, index) => `word ${index}.`)
      for (const word of words) await memory.addUserInput(word)
      proxy.when(() => false)
      const stored = JSON.stringify(await memory.getItems())
      for (const word of words) expect(stored.split(word).length - 1, word).toBe(1)
      expect(proxy.cuts).toBeGreaterThan(30)
      client.disconnect()
      proxy.close()
    },
  )

  it('a storage of openRedis goes on behind cuts', async () => {
    const proxy = await proxyOf(port)
    const storage = await openRedis(proxy.url, { prefix: crypto.randomUUID() })
    const memory = storage.memory('a')
    for (let index = 0; index < 10; index++) {
      let once = true
      proxy.when(() => {
        const now = once
        once = false
        return now
      })
      await memory.addUserInput(`${index}`)
    }
    expect(await memory.getItems()).toHaveLength(10)
    await storage.close()
    proxy.close()
  })
})
