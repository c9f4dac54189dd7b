import { join } from 'node:path'
import { findProgram } from '../process/find-program.ts'
import { startOwned } from '../process/owned-service.ts'
import { freePort } from '../process/ports.ts'
import { Stage } from '../process/stage.ts'
import type { Service } from '../service.ts'
import { version } from './client.ts'

/** Starts a SecantusDB, which can be told to fail (`failCommand`) and syncs each write before it answers. */
export async function startSecantus(
  topology: string,
  args: readonly string[],
  options: string,
): Promise<Service> {
  const command = findProgram('secantusd-py')
  return await startOwned(
    () => new Stage('mongodb'),
    async ({ folder }) => {
      const port = await freePort()
      const url = `mongodb://127.0.0.1:${port}/holdfast?${options}`
      return {
        url,
        servers: [
          {
            name: 'secantusd',
            program: {
              command,
              args: [
                ...['--host', '127.0.0.1', '--port', `${port}`, '--log-level', 'ERROR'],
                ...['--storage-path', join(folder, 'data'), '--cache-size', '256M'],
                ...['--sync-on-commit', '--enable-test-commands', ...args],
              ],
            },
            ready: async () => {
              await version(url)
            },
          },
        ],
        version: async () => `${await version(url)}, ${topology}`,
      }
    },
  )
}
