import type { Append, Listed, SessionDriver, StoredSession, Version } from '../driver.ts'
import { compareUtf8 } from '../ids.ts'

interface Cell {
  revision: string
  head: string
  entries: string[]
}

/**
 * A driver over a `Map` in this process: for tests and for trying things out, and the reference for
 * every other. Storages made over one `MemoryDriver` see the same cells, as processes on one database do.
 */
export class MemoryDriver implements SessionDriver {
  readonly #cells = new Map<string, Cell>()

  async read(
    id: string,
    options: { readonly unless?: string; readonly skip?: number } = {},
  ): Promise<StoredSession | null | 'unchanged'> {
    const cell = this.#cells.get(id)
    if (!cell) return null
    if (cell.revision === options.unless) return 'unchanged'
    return { revision: cell.revision, head: cell.head, entries: cell.entries.slice(options.skip) }
  }

  async replace(
    id: string,
    next: StoredSession,
    expected: Version | null,
  ): Promise<Version | false> {
    if (this.#cells.get(id)?.revision !== expected?.revision) return false
    const { revision, head, entries } = next
    this.#cells.set(id, { revision, head, entries: [...entries] })
    return { revision }
  }

  async append(id: string, change: Append, expected: Version): Promise<Version | false> {
    const cell = this.#cells.get(id)
    if (cell?.revision !== expected.revision) return false
    cell.revision = change.revision
    cell.head = change.head
    if (change.drop > 0) cell.entries.splice(0, change.drop)
    for (const entry of change.entries) cell.entries.push(entry)
    return { revision: change.revision }
  }

  async delete(id: string, expected: Version): Promise<boolean> {
    return this.#cells.get(id)?.revision === expected.revision && this.#cells.delete(id)
  }

  async list(query: {
    readonly after?: string
    readonly before?: string
    readonly limit: number
  }): Promise<readonly Listed[]> {
    const { after = '', before, limit } = query
    return [...this.#cells]
      .filter(
        ([id]) =>
          compareUtf8(id, after) > 0 && (before === undefined || compareUtf8(id, before) < 0),
      )
      .sort(([a], [b]) => compareUtf8(a, b))
      .slice(0, limit)
      .map(([id, { revision, head }]) => ({ id, revision, head }))
  }
}
