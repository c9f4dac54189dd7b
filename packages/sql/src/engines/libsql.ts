import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { invalid, loadPeer } from '@holdfast/core/adapter'
import { classifyLibsql } from '../dialects/libsql-errors.ts'
import type { CheckedOptions } from '../options.ts'
import { patiently } from '../setup.ts'
import { connectDriver } from '../sql-storage.ts'
import { isInMemory, MEMORY, openDatabaseFile } from './database-file.ts'
import type { Engine, Opened } from './engine.ts'
import { orClose } from './or-close.ts'
import { checkServerUrl, readable } from './server-url.ts'

const INSTALL = 'npm install @libsql/client drizzle-orm'
/** Of a server. */
const EXAMPLE = 'libsql://host?authToken=…'
/** As for SQLite: the client waits for another process's lock without letting go of the event loop. */
const BUSY_TIMEOUT_MS = 250

/** libSQL: a file through @libsql/client, or a server (Turso, libsql-server) over its protocol. */
export const libsql: Engine = {
  schemes: ['libsql'],
  example: 'libsql:./agent.db',
  takesPath: false,
  async open(url, options) {
    const rest = url.slice('libsql:'.length)
    if (rest.startsWith('//')) return openServer(url, options)
    if (/^(https?|wss?):/i.test(rest)) return openServer(rest, options)
    return openFile(rest, options)
  },
}

async function clientOf() {
  const { createClient } = await loadPeer(() => import('@libsql/client'), INSTALL)
  const { drizzle } = await loadPeer(() => import('drizzle-orm/libsql'), INSTALL)
  return { createClient, drizzle }
}

async function openServer(url: string, options: CheckedOptions): Promise<Opened> {
  checkServerUrl(url, EXAMPLE)
  const { username, password, searchParams } = readable(EXAMPLE, () => new URL(url))
  if (username !== '' || password !== '') {
    throw invalid(
      `The URL holds a user or a password, which libSQL's servers do not know: put a token behind it, as in '${EXAMPLE}'.`,
    )
  }
  // What no header can carry is refused by `fetch` at the first statement, in words that quote the token.
  if (!/^[!-~]*$/.test(searchParams.get('authToken') ?? '')) {
    throw invalid('The authToken of the URL holds a character that a token cannot have.')
  }
  const { createClient, drizzle } = await clientOf()
  const client = readable(EXAMPLE, () => createClient({ url }))
  return orClose(client, async () => ({
    driver: await connectDriver(drizzle(client), options),
    close: () => client.close(),
  }))
}

async function openFile(path: string, options: CheckedOptions): Promise<Opened> {
  if (path.trim() === '') {
    throw invalid(
      "The URL has no path: use 'libsql:./agent.db', or 'libsql::memory:' for a database in memory.",
    )
  }
  const { createClient, drizzle } = await clientOf()
  const place = isInMemory(path) ? MEMORY : resolve(path.replace(/^file:/i, ''))
  return openDatabaseFile('libSQL', place, async (file) => {
    const client = createClient({
      url: file === MEMORY ? file : pathToFileURL(file).href,
      // Its calls on a file return when they are done: a second connection would only wait for the first.
      concurrency: 1,
      timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    })
    return orClose(client, async () => {
      await patiently(classifyLibsql, () => client.execute('PRAGMA journal_mode = WAL'))
      await client.execute('PRAGMA synchronous = FULL')
      const driver = await connectDriver(drizzle(client), { ...options, busyTimeoutMs: undefined })
      return { driver, close: () => client.close() }
    })
  })
}
