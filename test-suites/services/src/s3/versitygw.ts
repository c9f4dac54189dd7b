import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../process/find-program.ts'
import { startOwned } from '../process/owned-service.ts'
import { freePort } from '../process/ports.ts'
import { Stage } from '../process/stage.ts'
import type { ServiceSetup } from '../service.ts'
import { makeBucket } from './bucket.ts'
import { foundS3 } from './found-s3.ts'
import { type S3Service, s3Url, withCredentials } from './s3-service.ts'

const credentials = { accessKeyId: 'holdfast', secretAccessKey: 'holdfast-secret' }

/** The version that Go wrote into the program: built by `go install`, it calls itself `git`. */
function builtFrom(program: string): string {
  const binary = readFileSync(program)
  const at = binary.indexOf('\tgithub.com/versity/versitygw\tv')
  return (
    /v(\d+\.\d+\.\d+)/.exec(binary.toString('latin1', at, at + 80))?.[1] ?? 'of unknown version'
  )
}

async function start(): Promise<S3Service> {
  const command = findProgram('versitygw')
  const service = await startOwned(
    () => new Stage('versitygw'),
    async ({ folder }) => {
      const data = join(folder, 'data')
      mkdirSync(data)
      const port = await freePort()
      const url = s3Url('holdfast', port)
      return {
        url,
        servers: [
          {
            name: 'versitygw',
            program: {
              command,
              args: [
                ...[
                  '--port',
                  `127.0.0.1:${port}`,
                  '--access',
                  credentials.accessKeyId,
                  '-q',
                  '--keep-alive',
                ],
                // Attributes stay with the file, as is its default: in files beside it (`--sidecar`), a
                // reader meets the body of one write and the checksum of another.
                ...['posix', data],
              ],
              env: { ROOT_SECRET_KEY: credentials.secretAccessKey },
            },
            ready: () => makeBucket(url, credentials),
          },
        ],
        version: async () => `versitygw ${builtFrom(command)}`,
      }
    },
  )
  return withCredentials(service, credentials)
}

/** An S3 gateway over a folder, by the program `versitygw`; any S3 server by its URL. */
export const versitygw: ServiceSetup<S3Service> = {
  name: 'versitygw',
  variable: 'HOLDFAST_S3_URL',
  start,
  connect: foundS3,
}
