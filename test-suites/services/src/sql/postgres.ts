import { join } from 'node:path'
import { foundService } from '../found-service.ts'
import { findProgram } from '../process/find-program.ts'
import { startOwned } from '../process/owned-service.ts'
import { freePort } from '../process/ports.ts'
import { Stage } from '../process/stage.ts'
import { userFor } from '../process/user.ts'
import type { Service, ServiceSetup } from '../service.ts'

const CONNECT_MS = 5_000

/** What a query of one value answers. */
async function ask(url: string, query: string): Promise<string> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ value: string }>(query)
    return rows[0]?.value ?? ''
  } finally {
    await client.end()
  }
}

async function version(url: string): Promise<string> {
  const said = await ask(url, `select current_setting('server_version') as value`)
  // Debian adds the version of its package in brackets.
  return `PostgreSQL ${said.split(' ')[0]}`
}

function start(): Promise<Service> {
  const postgres = findProgram('postgres')
  const initdb = findProgram('initdb')
  const user = userFor('postgres')
  return startOwned(
    () => new Stage('postgres', user),
    async (stage) => {
      const data = join(stage.folder, 'data')
      await stage.finish('initdb', {
        command: initdb,
        args: [
          ...['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale'],
          ...['--no-sync', '--no-instructions'],
        ],
      })
      const port = await freePort()
      const url = `postgres://postgres@127.0.0.1:${port}/postgres`
      // The end of a process leaves to the system what was written: without fsync, but with the answer
      // behind the write (`synchronous_commit`) and whole pages in the log, a kill loses nothing.
      const settings = [
        'listen_addresses=127.0.0.1',
        'fsync=off',
        'synchronous_commit=on',
        'full_page_writes=on',
        'max_connections=200',
      ].flatMap((setting) => ['-c', setting])
      return {
        url,
        servers: [
          {
            name: 'postgres',
            program: {
              command: postgres,
              args: ['-D', data, '-p', `${port}`, '-k', stage.folder, ...settings],
              // At once, and without leaving its shared memory behind.
              stop: 'SIGQUIT',
            },
            ready: async () => {
              await ask(url, 'select 1 as value')
            },
            // Its connections outlive a killed server by a moment.
            tryAgain: /shared memory block.*still in use|lock file .* already exists/,
          },
        ],
        version: () => version(url),
      }
    },
  )
}

/** PostgreSQL, by the programs `initdb` and `postgres`. */
export const postgres: ServiceSetup = {
  name: 'PostgreSQL',
  variable: 'HOLDFAST_POSTGRES_URL',
  start: async () => start(),
  connect: async (url) => foundService(url, await version(url)),
}
