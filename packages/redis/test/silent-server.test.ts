import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRedis, redisStorage } from '../src/index.ts'

const FAILED = { name: 'HoldfastError', code: 'STORAGE_FAILED' }
const options = { timeoutMs: 300 }

describe('opening at a server that takes connections and never answers ends after timeoutMs', () => {
  let server: Server
  const sockets = new Set<Socket>()
  let node: { host: string; port: number }
  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}).resume())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    node = { host: '127.0.0.1', port: typeof address === 'object' && address ? address.port : 0 }
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it.each([
    ['ioredis 6', () => new Redis(node)],
    ['ioredis 6 that connects at the first call', () => new Redis({ ...node, lazyConnect: true })],
    ['ioredis 5', () => new Redis5(node)],
    ['a Cluster of ioredis 6', () => new Cluster([node])],
    ['a Cluster of ioredis 5', () => new Cluster5([node])],
  ])('over %s, which goes on as its owner made it', async (_, make) => {
    const client = make()
    await expect(redisStorage(client, options)).rejects.toMatchObject(FAILED)
    expect(client.status).not.toBe('end')
    client.disconnect()
  })

  it('by an address, of one server or of a cluster', async () => {
    const { host, port } = node
    await expect(openRedis(`redis://${host}:${port}`, options)).rejects.toMatchObject(FAILED)
    await expect(openRedis(`redis-cluster://${host}:${port}`, options)).rejects.toMatchObject(
      FAILED,
    )
  })

  it('asks it nothing without setup', async () => {
    const client = new Redis({ ...node, lazyConnect: true })
    const storage = await redisStorage(client, { ...options, setup: false })
    expect(client.status).toBe('wait')
    await storage.close()
  })
})
