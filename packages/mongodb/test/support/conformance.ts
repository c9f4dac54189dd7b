import { testSessionDriver } from '@holdfast/conformance'
import type { Service } from '@holdfast/services'
import * as runner from 'vitest'
import { mongodbDriver } from '../../src/index.ts'
import { clients } from './clients.ts'

/** The suite over both versions of the client: each connection stands for a process. */
export function testBoth({ url, version }: Service): void {
  for (const [name, { MongoClient }] of Object.entries(clients)) {
    testSessionDriver(
      `${version}, ${name}`,
      {
        async connect() {
          const client = new MongoClient(url)
          const driver = await mongodbDriver(client.db())
          return { driver, close: () => client.close() }
        },
      },
      runner,
    )
  }
}
