import { foundService } from '../found-service.ts'
import { findProgram } from '../process/find-program.ts'
import { startOwned } from '../process/owned-service.ts'
import { freePort } from '../process/ports.ts'
import { Stage } from '../process/stage.ts'
import type { Service, ServiceSetup } from '../service.ts'
import { version } from './client.ts'
import { redisServer } from './server.ts'

/** Starts one; `args` go to the server. */
export function startRedis(args: readonly string[] = []): Promise<Service> {
  const command = findProgram('redis-server', 'valkey-server')
  return startOwned(
    () => new Stage('redis'),
    async ({ folder }) => {
      const port = await freePort()
      const url = `redis://127.0.0.1:${port}`
      return {
        url,
        servers: [redisServer(command, folder, port, args)],
        version: () => version(url),
      }
    },
  )
}

/** One Redis or Valkey, by the program `redis-server` or `valkey-server`. */
export const redis: ServiceSetup = {
  name: 'Redis',
  variable: 'HOLDFAST_REDIS_URL',
  start: async () => startRedis(),
  connect: async (url) => foundService(url, await version(url)),
}
