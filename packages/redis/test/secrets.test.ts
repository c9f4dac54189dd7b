import { Cluster, Redis } from 'ioredis'
import { testSecrets } from './support/secrets.ts'

await testSecrets('ioredis 6', {
  redis: (settings) => new Redis(settings),
  cluster: (nodes, settings) => new Cluster(nodes, settings),
})
