import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { foundService } from '../found-service.ts'
import { findProgram } from '../process/find-program.ts'
import { startOwned } from '../process/owned-service.ts'
import { freePort } from '../process/ports.ts'
import { Stage } from '../process/stage.ts'
import { userFor } from '../process/user.ts'
import type { Service, ServiceSetup } from '../service.ts'

const CONNECT_MS = 5_000

/** The version of the server at `url`: `MariaDB 10.11.19` or `MySQL 8.4.3`. Rejects unless it answers. */
async function version(url: string): Promise<string> {
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({ uri: url, connectTimeout: CONNECT_MS })
  connection.on('error', () => {})
  try {
    const [rows] = await connection.query('select version() as version')
    const said = String((rows as { version: string }[])[0]?.version)
    return `${/mariadb/i.test(said) ? 'MariaDB' : 'MySQL'} ${said.split('-')[0]}`
  } finally {
    connection.destroy()
  }
}

function start(): Promise<Service> {
  const server = findProgram('mariadbd')
  const install = findProgram('mariadb-install-db')
  const user = userFor('mysql')
  return startOwned(
    () => new Stage('mariadb', user),
    async (stage) => {
      const data = join(stage.folder, 'data')
      await stage.finish('mariadb-install-db', {
        command: install,
        args: [
          ...['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal'],
          ...['--skip-test-db', '--innodb-flush-method=nosync'],
        ],
      })
      const init = join(stage.folder, 'init.sql')
      writeFileSync(init, 'create database if not exists holdfast;\n')
      const port = await freePort()
      const url = `mysql://root@127.0.0.1:${port}/holdfast`
      return {
        url,
        servers: [
          {
            name: 'mariadbd',
            program: {
              command: server,
              args: [
                ...['--no-defaults', `--datadir=${data}`, `--socket=${stage.folder}/s.sock`],
                ...[`--port=${port}`, '--bind-address=127.0.0.1', `--pid-file=${stage.folder}/pid`],
                // The log is written before each answer and synced by nobody: a kill loses nothing,
                // only the end of the whole system would.
                ...['--innodb-flush-log-at-trx-commit=2', '--innodb-flush-method=nosync'],
                ...['--skip-log-bin', '--innodb-buffer-pool-size=64M', '--max-connections=200'],
                `--init-file=${init}`,
              ],
            },
            ready: async () => {
              await version(url)
            },
          },
        ],
        version: () => version(url),
      }
    },
  )
}

/** MariaDB, by the programs `mariadb-install-db` and `mariadbd`; a MySQL by its URL. */
export const mariadb: ServiceSetup = {
  name: 'MariaDB',
  variable: 'HOLDFAST_MARIADB_URL',
  start: async () => start(),
  connect: async (url) => foundService(url, await version(url)),
}
