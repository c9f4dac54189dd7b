import { entityKind } from 'drizzle-orm'
import { clients } from '../clients/index.ts'
import type { CheckedOptions } from '../options.ts'
import type { Dialect } from './dialect.ts'

export type Recognised =
  | { readonly kind: 'database' | 'transaction'; readonly dialect: Dialect }
  | { readonly kind: 'unsupported'; readonly name: string; readonly reason?: string }
  | { readonly kind: 'foreign' }

/** Any database of drizzle descends from one of these. */
const families = [
  'BaseSQLiteDatabase',
  'PgDatabase',
  'MySqlDatabase',
  'SingleStoreDatabase',
  'GelDatabase',
]

/** Tells which dialect speaks to a drizzle database, by the names its classes carry: no client is imported. */
export async function recognise(given: object, options: CheckedOptions): Promise<Recognised> {
  // Behind `withReplicas` reads would go to a replica, which lags behind what was acknowledged.
  const db = '$primary' in given && given.$primary instanceof Object ? given.$primary : given
  const kinds = entityKinds(db)
  for (const client of clients) {
    if (kinds.includes(client.transaction)) {
      const { inTransaction } = client
      return typeof inTransaction === 'string'
        ? { kind: 'unsupported', name: client.transaction, reason: inTransaction }
        : { kind: 'transaction', dialect: await inTransaction(db, options) }
    }
    if (kinds.includes(client.database)) {
      const dialect = client.connect(db, options)
      return dialect ? { kind: 'database', dialect } : { kind: 'foreign' }
    }
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
