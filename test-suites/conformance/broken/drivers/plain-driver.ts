import type { Append, Listed, SessionDriver, StoredSession, Version } from '@holdfast/core'

export interface Cell {
  readonly id: string
  revision: string
  head: string
  entries: string[]
}

export const tick = (): Promise<void> => new Promise((done) => setTimeout(done, 0))

/** A right driver in small steps: each broken one overrides the step that it gets wrong. */
export class PlainDriver implements SessionDriver {
  /** The storage; the drivers of several processes share it. */
  readonly cells: Map<string, Cell>

  constructor(cells: Map<string, Cell>) {
    this.cells = cells
  }

  keyOf(id: string): string {
    return id
  }

  find(id: string): Cell | undefined {
    return this.cells.get(this.keyOf(id))
  }

  matches(cell: Cell | undefined, expected: Version | null): boolean {
    return cell?.revision === expected?.revision
  }

  /** What a value becomes on its way into the storage. */
  keep(text: string): string {
    return text
  }

  put(id: string, next: StoredSession, _before: Cell | undefined): void {
    this.cells.set(this.keyOf(id), {
      id,
      revision: next.revision,
      head: this.keep(next.head),
      entries: next.entries.map((entry) => this.keep(entry)),
    })
  }

  isUnchanged(cell: Cell, unless: string | undefined): boolean {
    return cell.revision === unless
  }

  async read(id: string, options: { readonly unless?: string; readonly skip?: number } = {}) {
    const cell = this.find(id)
    if (!cell) return null
    if (this.isUnchanged(cell, options.unless)) return 'unchanged' as const
    return this.answer(cell, options.skip ?? 0)
  }

  answer(cell: Cell, skip: number): StoredSession {
    return { revision: cell.revision, head: cell.head, entries: cell.entries.slice(skip) }
  }

  async replace(
    id: string,
    next: StoredSession,
    expected: Version | null,
  ): Promise<Version | false> {
    const cell = this.find(id)
    if (!this.matches(cell, expected)) return false
    this.put(id, next, cell)
    return { revision: next.revision }
  }

  /** The entries behind an append. */
  joined(cell: Cell, change: Append): string[] {
    return [...cell.entries.slice(change.drop), ...change.entries.map((entry) => this.keep(entry))]
  }

  async append(id: string, change: Append, expected: Version): Promise<Version | false> {
    const cell = this.find(id)
    if (!cell || !this.matches(cell, expected)) return false
    cell.entries = this.joined(cell, change)
    cell.head = change.head
    cell.revision = change.revision
    return { revision: change.revision }
  }

  async delete(id: string, expected: Version): Promise<boolean> {
    const cell = this.find(id)
    return cell !== undefined && this.matches(cell, expected) && this.cells.delete(this.keyOf(id))
  }

  order(a: string, b: string): number {
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  }

  inRange(id: string, after: string, before: string | undefined): boolean {
    return bytes(id, after) > 0 && (before === undefined || bytes(id, before) < 0)
  }

  row({ id, revision, head }: Cell): Listed {
    return { id, revision, head }
  }

  async list(query: { readonly after?: string; readonly before?: string; readonly limit: number }) {
    return [...this.cells.values()]
      .filter((cell) => this.inRange(cell.id, query.after ?? '', query.before))
      .sort((a, b) => this.order(a.id, b.id))
      .slice(0, query.limit)
      .map((cell) => this.row(cell))
  }
}

const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
