import { Cluster, Redis } from 'ioredis5'
import { vi } from 'vitest'
import { testSecrets } from './support/secrets.ts'

// The client that openRedis makes is of this version, too.
vi.mock('ioredis', () => import('ioredis5'))

await testSecrets('ioredis 5', {
  redis: (settings) => new Redis(settings),
  cluster: (nodes, settings) => new Cluster(nodes, settings),
})
