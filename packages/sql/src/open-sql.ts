import { createStorage, type Storage } from '@holdfast/core'
import { invalid } from '@holdfast/core/adapter'
import type { Engine } from './engines/engine.ts'
import { engines } from './engines/index.ts'
import { checkOpenOptions, type OpenSqlOptions } from './options.ts'

/**
 * Opens a database by its URL and makes its tables where they are missing. The storage owns the
 * connection: `storage.close()` ends it.
 *
 * - `sqlite:./agent.db`, `sqlite::memory:`: SQLite through better-sqlite3, or node:sqlite where that is not
 *   installed, with WAL and `synchronous = FULL`.
 * - `libsql:./agent.db`, `libsql://host`, `libsql:http://host:8080`: libSQL, in a file or on a server.
 * - `mysql://user:password@host/database`, `mariadb://…`: MariaDB or MySQL through mysql2.
 * - `pglite:./folder`, `pglite::memory:` or `pglite:`: PostgreSQL inside this process, through PGlite.
 *   One process at a time may open a folder; a second one is `CONFLICT`.
 * - `postgres://user@host/database`, `postgresql://…`: a PostgreSQL server, through pg, or through
 *   postgres.js where only that is installed (option `client`). Parameters in the URL go to the client.
 *
 * What follows the scheme of an embedded database is the path as it is; missing folders are made.
 *
 * Errors: `INVALID_ARGUMENT` (URL, options, or a package to install, with the line that does it),
 * `CONFLICT`, `UNSUPPORTED` (a database not in UTF-8), `STORAGE_FAILED` (the database failed).
 */
export async function openSql(url: string, options: OpenSqlOptions = {}): Promise<Storage> {
  const { engine, rest } = parse(url)
  const checked = checkOpenOptions(options)
  const { client } = checked
  if (client !== undefined && !engine.clients?.includes(client)) {
    throw invalid(
      `client '${client}' does not open URLs like '${engine.example}': ${engine.clients ? `use '${engine.clients.join("' or '")}'` : 'leave it out'}.`,
    )
  }
  const { driver, close } = await engine.open(rest, checked)
  return createStorage(driver, { ...checked.storage, close })
}

/** What the URL holds behind its scheme is not shown in messages: it may be a password. */
function parse(url: unknown): { engine: Engine; rest: string } {
  const forms = engines.map(({ example }) => `'${example}'`).join(', ')
  if (typeof url !== 'string') {
    const given = url === null ? 'null' : typeof url
    throw invalid(
      `openSql takes a URL as a string, got ${given}: one like ${forms}; for a drizzle database call sqlStorage(db).`,
    )
  }
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(url) ?? []
  if (scheme === undefined) throw invalid(`The URL has no scheme: use one like ${forms}.`)
  const engine = engines.find(({ schemes }) => schemes.includes(scheme.toLowerCase()))
  if (!engine) throw invalid(`The URL's scheme ${scheme}: is not known: use one like ${forms}.`)
  if (rest.includes('\0')) throw invalid('The URL holds a character U+0000.')
  if (!engine.takesPath) return { engine, rest: url }
  const path = rest.startsWith('//') ? rest.slice(2) : rest
  if (path.trim() === '' && rest !== '') {
    throw invalid(`The URL has a blank path: use one like ${forms}.`)
  }
  return { engine, rest: path }
}
