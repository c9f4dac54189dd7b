import { invalid, loadPeer } from '@holdfast/core/adapter'
import type { CheckedOptions } from '../options.ts'
import { connectDriver } from '../sql-storage.ts'
import type { Engine, Opened } from './engine.ts'
import { checkServerUrl, readable } from './server-url.ts'

const INSTALL = 'npm install mysql2 drizzle-orm'
/** With a password, which the example of the engine leaves out. */
const EXAMPLE = 'mysql://user:password@localhost:3306/database'

/** MariaDB and MySQL, through mysql2. */
export const mysql: Engine = {
  schemes: ['mysql', 'mariadb'],
  example: 'mysql://user@localhost/database',
  takesPath: false,
  open: openMysql,
}

async function openMysql(url: string, options: CheckedOptions): Promise<Opened> {
  const uri = checked(url)
  const { default: client } = await loadPeer(() => import('mysql2'), INSTALL)
  const { drizzle } = await loadPeer(() => import('drizzle-orm/mysql2'), INSTALL)
  const { maxConnections: connectionLimit } = options
  const pool = readable(EXAMPLE, () =>
    client.createPool({
      ...{ uri, charset: 'utf8mb4', connectionLimit },
      ...(!/[?&]connectTimeout=/.test(uri) && { connectTimeout: options.storage.timeoutMs }),
    }),
  )
  const { timeoutMs } = options.storage
  // Shorter than core waits: a connection that another one's lock holds up is free again by then.
  const lockSeconds = Math.max(1, Math.floor((timeoutMs * 2) / 3000))
  pool.on('connection', (connection) => {
    const text = `SET SESSION autocommit = 1, innodb_lock_wait_timeout = ${lockSeconds}`
    // It fails as the connection does, which whoever uses it next is told.
    connection.query(text, () => {})
  })
  const close = () => pool.promise().end()
  try {
    return { driver: await connectDriver(drizzle(pool), options), close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

/** The client takes a URL without a host or a database, and fails late or writes into none. */
function checked(url: string): string {
  checkServerUrl(url, EXAMPLE)
  const uri = url.replace(/^mariadb:/i, 'mysql:')
  const { hostname, pathname } = readable(EXAMPLE, () => {
    const read = new URL(uri)
    for (const part of [read.pathname, read.username, read.password]) decodeURIComponent(part)
    return read
  })
  if (hostname === '') throw invalid(`The URL names no host: use one like '${EXAMPLE}'.`)
  if (pathname.length < 2) throw invalid(`The URL names no database: use one like '${EXAMPLE}'.`)
  return uri
}
