import { testSessionDriver } from '@holdfast/conformance'
import { mongodbReplicaSet, plainRunner, type ServiceSetup, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { mongodbDriver } from '../../src/index.ts'
import { clients } from './clients.ts'

/** The suite on one topology with one version of the client, the whole of it on the first of each; each connection stands for a process. */
export async function testOn(setup: ServiceSetup, client: keyof typeof clients): Promise<void> {
  const server = await useService(setup, runner)
  if (!server) return
  const { MongoClient } = clients[client]
  testSessionDriver(
    `${server.version}, ${client}`,
    {
      async connect() {
        const client = new MongoClient(server.url)
        const driver = await mongodbDriver(client.db())
        return { driver, close: () => client.close() }
      },
    },
    setup === mongodbReplicaSet && client === 'mongodb 7' ? runner : plainRunner(runner),
  )
}
