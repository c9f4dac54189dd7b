import { foundService } from '../found-service.ts'
import type { ServiceSetup } from '../service.ts'
import { version } from './client.ts'
import { startSecantus } from './secantus.ts'

/** A server without a replica set, and so without retryable writes, by the program `secantusd-py`; a MongoDB by its URL. */
export const mongodbStandalone: ServiceSetup = {
  name: 'MongoDB standalone',
  variable: 'HOLDFAST_MONGODB_STANDALONE_URL',
  start: () => startSecantus('standalone', ['--standalone'], 'directConnection=true'),
  connect: async (url) => foundService(url, `${await version(url)}, standalone`),
}
