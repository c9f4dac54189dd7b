import { foundService } from '../found-service.ts'
import type { ServiceSetup } from '../service.ts'
import { version } from './client.ts'
import { startSecantus } from './secantus.ts'

/** A replica set of one node, by the program `secantusd-py`; a MongoDB by its URL. */
export const mongodbReplicaSet: ServiceSetup = {
  name: 'MongoDB replica set',
  variable: 'HOLDFAST_MONGODB_URL',
  start: () => startSecantus('replica set', [], 'replicaSet=secantus'),
  connect: async (url) => foundService(url, `${await version(url)}, replica set`),
}
