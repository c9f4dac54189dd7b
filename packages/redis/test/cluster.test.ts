import { redisCluster, useService } from '@holdfast/services'
import { Cluster, Redis } from 'ioredis'
import * as runner from 'vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { openRedis, redisDriver, redisStorage } from '../src/index.ts'
import { state } from './support/cells.ts'
import { nodesOf } from './support/nodes.ts'

const server = await useService(redisCluster, runner)

describe.runIf(server)('a cluster', () => {
  const nodes = server ? nodesOf(server.url) : []
  const client = new Cluster(nodes, { lazyConnect: true })
  afterAll(() => client.disconnect())

  /** The keys of each master that begin with `prefix`. */
  const spread = () =>
    Promise.all(
      nodes.map(async ({ host, port }) => {
        const node = new Redis({ host, port })
        const keys = await node.keys('*')
        node.disconnect()
        return keys
      }),
    )

  it('holds sessions on every master, each whole in one slot, and lists all of them', async () => {
    const prefix = `test-${crypto.randomUUID()}`
    const storage = await redisStorage(client, { prefix })
    const ids = Array.from({ length: 120 }, (_, index) => `n${1_000 + index}`)
    const tenants = ['a', 'b', '{c}', '}', '{}', 'd{']
    for (const id of ids) await storage.memory(id).addUserInput('x')
    for (const tenant of tenants) {
      for (const id of ['{', '{}', '}{x}', 'y']) {
        await storage.scope(tenant).memory(id).addUserInput('x')
      }
    }
    const keys = (await spread()).map((all) => all.filter((key) => key.startsWith(prefix)))
    for (const own of keys) {
      expect(own.filter((key) => key.includes(':{m0:n')).length).toBeGreaterThan(10)
    }
    const { memories } = await storage.listMemories({ limit: 1_000 })
    expect(memories.map(({ id }) => id)).toEqual(ids)
    for (const tenant of tenants) {
      const page = await storage.scope(tenant).listMemories()
      expect(page.memories.map(({ id }) => id)).toEqual(['y', '{', '{}', '}{x}'])
    }
    expect(await storage.deleteAll()).toBe(120 + 24)
  })

  it('is read at its masters, whatever the client does with reads', async () => {
    const scaled = new Cluster(nodes, { scaleReads: 'slave' })
    const sent: string[] = []
    const watched = new Proxy(scaled, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        sent.push(String(name))
        return value.bind(target)
      },
    })
    const driver = await redisDriver(watched, { prefix: crypto.randomUUID(), setup: false })
    const [a, b] = [state('1'), state('2')]
    await driver.replace('m0:a', a, null)
    await driver.append?.('m0:a', { ...b, drop: 0 }, a)
    await driver.read('m0:a')
    await driver.list({ limit: 5 })
    await driver.delete?.('m0:a', b)
    // Scripts alone: to the client each is a write, which goes to a master.
    expect(sent).toContain('evalsha')
    expect(sent.filter((name) => !['evalsha', 'eval', 'info', 'then'].includes(name))).toEqual([])
    scaled.disconnect()
  })

  it.each([
    ['with pipelines by itself', { enableAutoPipelining: true }],
    ['with a keyPrefix', { keyPrefix: 'app:' }],
    ['with a keyPrefix that holds all in one slot', { keyPrefix: '{app}:' }],
  ])('works through a client %s', async (_, settings) => {
    const own = new Cluster(nodes, settings)
    const prefix = `test-${crypto.randomUUID()}`
    const storage = await redisStorage(own, { prefix })
    const ids = Array.from({ length: 20 }, (_, index) => `n${100 + index}`)
    await Promise.all(ids.map((id) => storage.memory(id).addUserInput('x')))
    expect((await storage.listMemories()).memories.map(({ id }) => id)).toEqual(ids)
    for (const id of ids) expect(await storage.memory(id).getItems()).toHaveLength(1)
    own.disconnect()
  })

  it('is opened by its URL and by its nodes', async () => {
    const prefix = crypto.randomUUID()
    const byUrl = await openRedis(server?.url ?? '', { prefix })
    await byUrl.memory('a').addUserInput('x')
    await byUrl.close()
    const byNodes = await openRedis({ nodes }, { prefix })
    expect(await byNodes.memory('a').getItems()).toHaveLength(1)
    await byNodes.close()
    await expect(byNodes.memory('a').getItems()).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it.runIf(server?.owned)('needs no more rights than the documentation names', async () => {
    const rules =
      '~holdfast:* +eval +evalsha +hget +hmget +hset +hdel +unlink +pexpire +persist +zadd +zrem +zrangebylex +zcard +time +hello +ping +select +info +cluster|slots +cluster|info +asking'
    for (const node of nodes) {
      const direct = new Redis(node)
      await direct.acl('SETUSER', 'agent', 'reset', 'on', '>pass', ...rules.split(' '))
      direct.disconnect()
    }
    const storage = await openRedis((server?.url ?? '').replace('//', '//agent:pass@'))
    for (const id of ['a', 'b', 'c', 'd']) await storage.memory(id).addUserInput('x')
    expect((await storage.listMemories()).memories).toHaveLength(4)
    expect(await storage.deleteAll()).toBe(4)
    await storage.close()
  })

  it('loses the answers of a slot that moves, not the session', async () => {
    const prefix = `test-${crypto.randomUUID()}`
    const storage = await redisStorage(client, { prefix })
    const memory = storage.memory('moving')
    await memory.addUserInput('before')
    const key = `${prefix}:{m0:moving}`
    const slot = await client.cluster('KEYSLOT', key)
    const masters = await Promise.all(
      nodes.map(async (node) => {
        const direct = new Redis(node)
        const [id, held] = [String(await direct.cluster('MYID')), await direct.keys(key)]
        return { direct, id, node, holds: held.length === 1 }
      }),
    )
    const from = masters.find(({ holds }) => holds)
    const to = masters.find(({ holds }) => !holds)
    if (!from || !to) throw new Error('the key is on no master')
    await to.direct.cluster('SETSLOT', slot, 'IMPORTING', from.id)
    await from.direct.cluster('SETSLOT', slot, 'MIGRATING', to.id)
    await memory.addUserInput('while it moves')
    await from.direct.migrate(to.node.host, to.node.port, key, 0, 5_000)
    await memory.addUserInput('asked elsewhere')
    for (const { direct } of [to, from]) await direct.cluster('SETSLOT', slot, 'NODE', to.id)
    for (const { direct } of masters) {
      await direct.cluster('SETSLOT', slot, 'NODE', to.id).catch(() => {})
    }
    await memory.addUserInput('moved')
    expect(await memory.getItems()).toHaveLength(4)
    for (const { direct } of masters) direct.disconnect()
  })
})
