import { HoldfastError } from '@holdfast/core'
import { loadPeer } from '@holdfast/core/adapter'
import type { CheckedOptions } from '../options.ts'
import { connectDriver } from '../sql-storage.ts'
import type { Engine, Opened } from './engine.ts'

const INSTALL = 'npm install mysql2 drizzle-orm'

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
  const pool = client.createPool({
    uri,
    charset: 'utf8mb4',
    connectionLimit: options.maxConnections,
  })
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

/** The client's own error over a wrong URL would show all of it, password included. */
function checked(url: string): string {
  const invalid = (problem: string) =>
    new HoldfastError(
      'INVALID_ARGUMENT',
      `The URL ${problem}: use one like 'mysql://user:password@localhost:3306/database', with special characters percent-encoded.`,
    )
  const uri = url.replace(/^mariadb:/i, 'mysql:')
  if (!URL.canParse(uri)) throw invalid('cannot be read')
  const { hostname, pathname, username, password } = new URL(uri)
  if (hostname === '') throw invalid('names no host')
  if (pathname.length < 2) throw invalid('names no database')
  try {
    for (const part of [pathname, username, password]) decodeURIComponent(part)
  } catch {
    throw invalid('holds a % that begins no encoded character')
  }
  return uri
}
