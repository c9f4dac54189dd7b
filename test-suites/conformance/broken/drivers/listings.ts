import type { Listed, StoredSession } from '@holdfast/core'
import { broken } from './broken-driver.ts'
import { type Cell, PlainDriver } from './plain-driver.ts'

type Query = { readonly after?: string; readonly before?: string; readonly limit: number }

const ordered = (name: string, order: (a: string, b: string) => number) =>
  broken(
    name,
    ['list-ascending', 'isolated-ids'],
    class extends PlainDriver {
      override order(a: string, b: string) {
        return order(a, b)
      }
    },
  )

const Heads = new WeakMap<Map<string, Cell>, Map<string, Listed>>()
const Deleted = new WeakMap<Map<string, Cell>, Map<string, Cell>>()

export const brokenListings = [
  ordered('listings are in the order of UTF-16 units', (a, b) => (a < b ? -1 : 1)),
  ordered('listings are in the order of a locale', (a, b) => a.localeCompare(b, 'en')),
  ordered('listings are in the order of creation', () => 0),
  broken(
    'after is inclusive',
    ['list-bounds', 'list-pages'],
    class extends PlainDriver {
      override inRange(id: string, after: string, before: string | undefined) {
        return id === after || super.inRange(id, after, before)
      }
    },
  ),
  broken(
    'before is inclusive',
    'list-bounds',
    class extends PlainDriver {
      override inRange(id: string, after: string, before: string | undefined) {
        return id === before || super.inRange(id, after, before)
      }
    },
  ),
  broken(
    'limit is ignored',
    'list-limit',
    class extends PlainDriver {
      override list(query: Query) {
        return super.list({ ...query, limit: 10_000 })
      }
    },
  ),
  broken(
    'a listing answers at most 499 rows a call',
    'list-full-pages',
    class extends PlainDriver {
      override list(query: Query) {
        return super.list({ ...query, limit: Math.min(query.limit, 499) })
      }
    },
  ),
  broken(
    'limit is applied before the range',
    'list-pages',
    class extends PlainDriver {
      override async list(query: Query) {
        const all = await super.list({ limit: query.limit })
        return all.filter(({ id }) => this.inRange(id, query.after ?? '', query.before))
      }
    },
  ),
  broken(
    'a listing sees what its own process created: one node of a cluster',
    'list-pages',
    class extends PlainDriver {
      readonly #own = new Set<string>()
      override put(id: string, next: StoredSession, before: Cell | undefined) {
        if (!before) this.#own.add(id)
        super.put(id, next, before)
      }
      override inRange(id: string, after: string, before: string | undefined) {
        return this.#own.has(id) && super.inRange(id, after, before)
      }
    },
  ),
  broken(
    'rows show the head and revision of the creation',
    'list-rows',
    class extends PlainDriver {
      override row(cell: Cell) {
        const rows = Heads.get(this.cells) ?? new Map<string, Listed>()
        Heads.set(this.cells, rows)
        const row = rows.get(cell.id) ?? super.row(cell)
        rows.set(cell.id, row)
        return row
      }
    },
  ),
  broken(
    'deleted sessions stay in the index',
    'list-deleted',
    class extends PlainDriver {
      override async delete(id: string, expected: StoredSession) {
        const cell = this.find(id)
        const gone = await super.delete(id, expected)
        const index = Deleted.get(this.cells) ?? new Map<string, Cell>()
        Deleted.set(this.cells, index)
        if (gone && cell) index.set(id, cell)
        return gone
      }
      override async list(query: Query) {
        const rows = [
          ...(await super.list(query)),
          ...[...(Deleted.get(this.cells)?.values() ?? [])]
            .filter(
              ({ id }) => !this.cells.has(id) && this.inRange(id, query.after ?? '', query.before),
            )
            .map((cell) => this.row(cell)),
        ]
        return rows.sort((a, b) => this.order(a.id, b.id)).slice(0, query.limit)
      }
    },
  ),
  broken(
    'a range is read as a prefix: acme shows acme-corp',
    ['list-siblings', 'scope-boundaries', 'sessions-in-scopes'],
    class extends PlainDriver {
      override inRange(id: string, after: string, before: string | undefined) {
        const prefix = before?.endsWith(';') ? before.slice(0, -1) : undefined
        return prefix === undefined
          ? super.inRange(id, after, before)
          : id.startsWith(prefix) && (after === `${prefix}:` || super.inRange(id, after, undefined))
      }
    },
  ),
  broken(
    'a range without rows answers the rows behind it',
    'list-empty',
    class extends PlainDriver {
      override async list(query: Query) {
        const rows = await super.list(query)
        return rows.length > 0 ? rows : super.list({ ...query, before: '\u{10ffff}' })
      }
    },
  ),
  broken(
    'rows carry the entries',
    'list-light',
    class extends PlainDriver {
      override row(cell: Cell) {
        return { ...cell }
      }
    },
  ),
  broken(
    'pages are found by counting rows, so writers between two pages shift them',
    ['list-while-writing', 'listing-beside-writers'],
    class extends PlainDriver {
      readonly #ranks = new Map<string, number>()
      override async list(query: Query) {
        const { after = '', limit, ...rest } = query
        const known = this.#ranks.get(after)
        const start = known === undefined ? undefined : after.slice(0, after.indexOf(':', 3) + 1)
        const all = await super.list({ ...rest, after: start ?? after, limit: 100_000 })
        const from = known ?? 0
        const rows = all.slice(from, from + limit)
        const last = rows.at(-1)
        if (last && rows.length === limit) this.#ranks.set(last.id, from + limit)
        return rows
      }
    },
  ),
]
