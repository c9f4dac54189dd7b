import { createStorage } from '@holdfast/core'
import { broken, overDriver } from './broken-store.ts'
import { PlainStore, type Query, type Row } from './plain-store.ts'

export const brokenListings = [
  broken(
    'listings are ordered by UTF-16 units',
    'lists-all',
    class extends PlainStore {
      override order(ids: readonly string[]) {
        return [...ids].sort()
      }
    },
  ),
  broken(
    'listings are in the order of creation',
    'lists-all',
    class extends PlainStore {
      override order(ids: readonly string[]) {
        return [...ids]
      }
    },
  ),
  broken(
    'listSessionIds answers its first ten ids',
    'lists-all',
    class extends PlainStore {
      override async listSessionIds() {
        return this.ids().slice(0, 10)
      }
    },
  ),
  broken(
    'a page begins with the last session of the page before',
    'lists-pages',
    class extends PlainStore {
      override isBehind(id: string, after: string) {
        return id === after || super.isBehind(id, after)
      }
    },
  ),
  broken(
    'a page ignores its limit',
    'lists-pages',
    class extends PlainStore {
      override async listSessions({ after }: Query = {}) {
        return super.listSessions({ after, limit: 1_000 })
      }
    },
  ),
  broken(
    'pages hold 50 sessions where no limit is given',
    'lists-full-pages',
    class extends PlainStore {
      override async listSessions({ after, limit = 50 }: Query = {}) {
        return super.listSessions({ after, limit })
      }
    },
  ),
  broken(
    'there is no second page',
    'lists-full-pages',
    class extends PlainStore {
      override async listSessions(query: Query = {}) {
        const { sessions } = await super.listSessions(query)
        return { sessions }
      }
    },
  ),
  broken(
    'listings show the metadata of the first save',
    'lists-metadata',
    class extends PlainStore {
      override summary(row: Row) {
        const first = this.world.extra.get(row.id) ?? this.copy(row.snapshot.metadata)
        this.world.extra.set(row.id, first)
        return { id: row.id, metadata: first as Row['snapshot']['metadata'] }
      }
    },
  ),
  broken(
    'the cursor is a count of sessions',
    'lists-beside-writers',
    class extends PlainStore {
      override async listSessions({ after, limit = 100 }: Query = {}) {
        this.checkLimit(limit)
        const from = Number(after ?? 0)
        const ids = this.ids()
        const rows = ids.slice(from, from + limit).map((id) => this.find(id))
        return {
          sessions: rows.filter((row) => row !== undefined).map((row) => this.summary(row)),
          ...(from + limit < ids.length ? { next: String(from + limit) } : {}),
        }
      }
    },
  ),
  broken(
    'a page behind a session that is not there begins at the front',
    'lists-behind-the-gone',
    class extends PlainStore {
      override async listSessions({ after, limit }: Query = {}) {
        const there = after !== undefined && this.find(after) !== undefined
        return super.listSessions({ after: there ? after : undefined, limit })
      }
    },
  ),
  broken(
    'a page behind a session that was deleted begins at the front',
    'lists-behind-the-gone',
    class extends PlainStore {
      override async delete(id: string) {
        this.world.extra.set(id, 'deleted')
        return super.delete(id)
      }
      override async listSessions({ after, limit }: Query = {}) {
        const gone = after !== undefined && this.world.extra.has(after) && !this.find(after)
        return super.listSessions({ after: gone ? undefined : after, limit })
      }
    },
  ),
  broken(
    'a page behind a session that is not there is empty',
    'lists-behind-the-gone',
    class extends PlainStore {
      override async listSessions(query: Query = {}) {
        if (query.after !== undefined && !this.find(query.after)) return { sessions: [] }
        return super.listSessions(query)
      }
    },
  ),
  broken(
    'any limit is taken as it comes',
    'lists-refuses-limits',
    class extends PlainStore {
      override checkLimit() {}
    },
  ),
  overDriver('a listing loads every session that it shows', 'lists-heads-alone', (driver) => {
    const store = createStorage(driver).sessions()
    return {
      save: (snapshot) => store.save(snapshot),
      load: (id) => store.load(id),
      delete: (id) => store.delete(id),
      listSessionIds: () => store.listSessionIds(),
      async listSessions(query) {
        const page = await store.listSessions(query)
        for (const { id } of page.sessions) await createStorage(driver).sessions().load(id)
        return page
      },
    }
  }),
]
