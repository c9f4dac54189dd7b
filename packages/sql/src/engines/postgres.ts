import type { SessionDriver } from '@holdfast/core'
import { loadPeer } from '@holdfast/core/adapter'
import { RenewedPostgresJs } from '../clients/renewed-postgres-js.ts'
import type { CheckedOptions } from '../options.ts'
import { connectDriver, dialectDriver } from '../sql-storage.ts'
import type { Engine, Opened } from './engine.ts'
import { checkServerUrl, readable } from './server-url.ts'

const INSTALL = {
  pg: 'npm install pg drizzle-orm',
  postgres: 'npm install postgres drizzle-orm',
}

/** With a password, which the example of the engine leaves out. */
const EXAMPLE = 'postgres://user:password@host:5432/database'

/** Between two tries to connect: postgres.js would let a server that is back wait for 20 s. */
const LONGEST_PAUSE_S = 1

/** PostgreSQL over the network, through pg or postgres.js. */
export const postgres: Engine = {
  schemes: ['postgres', 'postgresql'],
  example: 'postgres://user@localhost/app',
  takesPath: false,
  clients: ['pg', 'postgres'],
  open(url, options) {
    checkServerUrl(url, EXAMPLE)
    if (options.client === 'pg') return openPg(url, options)
    if (options.client === 'postgres') return openPostgresJs(url, options)
    return openEither(url, options)
  },
}

async function openEither(url: string, options: CheckedOptions): Promise<Opened> {
  let missing: unknown
  try {
    await loadPeer(() => import('pg'), INSTALL.pg)
  } catch (error) {
    missing = error
  }
  if (missing === undefined) return openPg(url, options)
  try {
    await loadPeer(() => import('postgres'), INSTALL.postgres)
  } catch {
    // Of two packages that are not there, one is to be installed.
    throw missing
  }
  return openPostgresJs(url, options)
}

async function openPg(url: string, options: CheckedOptions): Promise<Opened> {
  const { default: pg } = await loadPeer(() => import('pg'), INSTALL.pg)
  const { drizzle } = await loadPeer(() => import('drizzle-orm/node-postgres'), INSTALL.pg)
  const timeoutMs = options.storage.timeoutMs
  const config = {
    connectionString: url,
    max: options.maxConnections,
    connectionTimeoutMillis: timeoutMs,
    // A connection that has gone silent is given up with the call that waits for it, and another one made.
    query_timeout: timeoutMs,
    keepAlive: true,
    fallback_application_name: 'holdfast',
  }
  // The pool reads the URL when it first connects: one client that never does reads it now.
  readable(EXAMPLE, () => new pg.Client(config))
  const pool = new pg.Pool(config)
  return opened(connectDriver(drizzle(pool), options), () => pool.end())
}

async function openPostgresJs(url: string, options: CheckedOptions): Promise<Opened> {
  const { default: connect } = await loadPeer(() => import('postgres'), INSTALL.postgres)
  const { postgresJsDialect } = await loadPeer(
    () => import('../clients/postgres-js.ts'),
    INSTALL.postgres,
  )
  const timeoutMs = options.storage.timeoutMs
  const client = readable(
    EXAMPLE,
    () =>
      new RenewedPostgresJs(
        () =>
          connect(url, {
            max: options.maxConnections,
            prepare: options.prepare,
            // A round trip for each new connection, for arrays, of which there are none here.
            fetch_types: false,
            // postgres.js prints them.
            onnotice: () => {},
            backoff: (tries) => Math.min(3 ** tries / 100, LONGEST_PAUSE_S),
            ...(!/[?&]connect_timeout=/.test(url) && {
              connect_timeout: Math.ceil(timeoutMs / 1000),
            }),
          }),
        timeoutMs,
      ),
  )
  const connected = dialectDriver(postgresJsDialect(client, options), options)
  return opened(connected, () => client.end())
}

async function opened(driver: Promise<SessionDriver>, close: () => Promise<void>) {
  try {
    return { driver: await driver, close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}
