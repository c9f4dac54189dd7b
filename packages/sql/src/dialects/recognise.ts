import { entityKind } from 'drizzle-orm'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { TableNames } from '../table-name.ts'
import type { Dialect } from './dialect.ts'
import { PgDialect, type RunPg } from './pg.ts'
import { SqliteDialect } from './sqlite.ts'
import type { SqliteClient } from './sqlite-statements.ts'

/** What is used of a PGlite client. */
interface PgliteClient {
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

export type Recognised =
  | { readonly kind: 'sqlite'; readonly dialect: Dialect; readonly client: SqliteClient }
  | { readonly kind: 'pg'; readonly dialect: Dialect }
  | { readonly kind: 'transaction' }
  | { readonly kind: 'unsupported'; readonly name: string }
  | { readonly kind: 'foreign' }

/** Any database of drizzle descends from one of these. */
const families = [
  'BaseSQLiteDatabase',
  'PgDatabase',
  'MySqlDatabase',
  'SingleStoreDatabase',
  'GelDatabase',
]
const transactions = ['SQLiteTransaction', 'PgTransaction', 'MySqlTransaction']

/** Tells which dialect speaks to a drizzle database, by the names its classes carry: no client is imported. */
export function recognise(given: object, names: TableNames): Recognised {
  // Behind `withReplicas` reads would go to a replica, which lags behind what was acknowledged.
  const db = '$primary' in given && given.$primary instanceof Object ? given.$primary : given
  const kinds = entityKinds(db)
  if (kinds.some((kind) => transactions.includes(kind))) return { kind: 'transaction' }
  if (kinds.includes('BetterSQLite3Database')) {
    const client = (db as { $client?: Partial<SqliteClient> }).$client
    if (typeof client?.prepare !== 'function') return { kind: 'foreign' }
    const sqlite = client as SqliteClient
    return { kind: 'sqlite', dialect: new SqliteDialect(sqlite, names), client: sqlite }
  }
  if (kinds.includes('PgliteDatabase')) {
    const pglite = db as PgDatabase<PgQueryResultHKT> & { $client?: Partial<PgliteClient> }
    if (typeof pglite.$client?.query !== 'function') return { kind: 'foreign' }
    const client = pglite.$client as PgliteClient
    const run: RunPg = async (text, values) => {
      try {
        return (await client.query(text, values)).rows
      } catch (error) {
        // The client keeps the parameters on its errors: items, which must not reach a log.
        if (error instanceof Error) Reflect.deleteProperty(error, 'params')
        throw error
      }
    }
    return { kind: 'pg', dialect: new PgDialect(pglite, run, names) }
  }
  return kinds.some((kind) => families.includes(kind))
    ? { kind: 'unsupported', name: kinds[0] ?? 'unknown' }
    : { kind: 'foreign' }
}

/** The names by which drizzle marks its classes, which hold across copies of drizzle, most special first. */
function entityKinds(value: object): string[] {
  const kinds: string[] = []
  for (let proto = Object.getPrototypeOf(value); proto; proto = Object.getPrototypeOf(proto)) {
    const kind: unknown = proto.constructor?.[entityKind]
    if (typeof kind === 'string') kinds.push(kind)
  }
  return kinds
}
