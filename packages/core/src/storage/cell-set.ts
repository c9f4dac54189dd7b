import type { Listed } from '../driver.ts'
import { knownOptions } from '../errors.ts'
import { checkId, checkLimit } from '../ids.ts'
import type { Backend } from './backend.ts'
import { Cell } from './cell.ts'
import { type CellKind, cellId, type IdRange, ownRange } from './cell-id.ts'
import { decodeHead, type Head } from './head.ts'

const PAGE = 500

/** The live cells of one storage, by the driver's ids; every scope shares them. */
export class Cells {
  readonly backend: Backend
  /** One live cell per id, for as long as somebody holds it. */
  readonly #cells = new Map<string, WeakRef<Cell>>()
  readonly #collected = new FinalizationRegistry<string>((id) => {
    // A newer cell may have taken the place of the collected one.
    if (!this.#cells.get(id)?.deref()) this.#cells.delete(id)
  })

  constructor(backend: Backend) {
    this.backend = backend
  }

  cell(id: string): Cell {
    const known = this.#cells.get(id)?.deref()
    if (known) return known
    const cell = new Cell(id, this.backend)
    this.#cells.set(id, new WeakRef(cell))
    this.#collected.register(cell, id)
    return cell
  }

  /** Every cell of a range in order, tombstones too, by pages of `page` or less. */
  async *walk({ after, before }: IdRange, page = PAGE): AsyncGenerator<Listed> {
    for (let start = after; ; ) {
      const query = { after: start, before, limit: Math.min(page, PAGE) }
      const rows = await this.backend.track(() =>
        this.backend.read(start, (driver) => driver.list(query)),
      )
      yield* rows
      const last = rows.at(-1)
      if (!last || rows.length < query.limit) return
      start = last.id
    }
  }
}

/** A head that cannot be read must not hide the sessions beside it. */
export function readableHead({ head, id }: Listed): Head | undefined {
  try {
    return decodeHead(head, id)
  } catch {
    return undefined
  }
}

/** Which page of a list. */
export interface PageQuery {
  /** The `next` of the page before. */
  readonly after?: string | undefined
  /** 1 to 1,000, default 100. */
  readonly limit?: number | undefined
}

/** One cell of a page, as its head tells; `head` is absent where that cannot be read. */
export interface Row {
  /** As the user gave it. */
  readonly id: string
  readonly head?: Head
}

/** The cells of one kind in one scope, by the user's ids. */
export class CellSet {
  readonly cells: Cells
  readonly #kind: CellKind
  readonly #path: readonly string[]
  readonly #what: string

  constructor(cells: Cells, kind: CellKind, path: readonly string[], what: string) {
    this.cells = cells
    this.#kind = kind
    this.#path = path
    this.#what = what
  }

  /** The driver's id of a user's id: `INVALID_ARGUMENT` if it is none. */
  name(id: unknown): string {
    return cellId(this.#kind, this.#path, id, this.#what)
  }

  cell(id: unknown): Cell {
    return this.cells.cell(this.name(id))
  }

  /** What is stored, ascending by the UTF-8 bytes of the ids, from behind `after` on. */
  async *rows(after = '', page?: number): AsyncGenerator<Row> {
    const range = ownRange(this.#kind, this.#path)
    for await (const listed of this.cells.walk({ ...range, after: range.after + after }, page)) {
      const head = readableHead(listed)
      const id = listed.id.slice(range.after.length)
      if (!head?.d) yield head ? { id, head } : { id }
    }
  }

  /** One page, and where the next one begins if there is one. */
  async page(query: PageQuery): Promise<{ rows: Row[]; next: { next?: string } }> {
    const { after, limit = 100 } = knownOptions(query, ['after', 'limit'])
    checkLimit(limit)
    const start = after === undefined ? undefined : checkId(after, 'after')
    const rows: Row[] = []
    // One more than asked for tells whether there is a next page.
    for await (const row of this.rows(start, limit + 1)) if (rows.push(row) > limit) break
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return { rows: page, next: rows.length > limit && last ? { next: last.id } : {} }
  }
}
