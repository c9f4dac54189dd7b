import { testSessionDriver } from '@holdfast/conformance'
import { plainRunner, type S3Service, type ServiceSetup, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { s3Driver } from '../../src/index.ts'
import { clientOf } from './client.ts'

/** The suite on one server, the whole of it on the `first`; each connection has a client of its own, as a process has. */
export async function conformance(
  setup: ServiceSetup<S3Service>,
  { first }: { readonly first: boolean },
): Promise<void> {
  const server = await useService(setup, runner)
  if (!server) return
  testSessionDriver(
    server.version,
    {
      async connect() {
        const { client, bucket } = clientOf(server)
        const driver = await s3Driver(client, { bucket, prefix: 'suite' })
        return { driver, close: async () => client.destroy() }
      },
    },
    first ? runner : plainRunner(runner),
  )
}
