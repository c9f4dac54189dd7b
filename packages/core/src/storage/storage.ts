import type { MemoryCompressor } from '../contracts/memory-compressor.ts'
import type { Listed, SessionDriver } from '../driver.ts'
import type { Encryption } from '../encryption.ts'
import { checkMethods, invalid, knownOptions, show } from '../errors.ts'
import { checkId } from '../ids.ts'
import { Compression } from '../memory/compression.ts'
import { Backend } from './backend.ts'
import { Cell } from './cell.ts'
import { cellId, childScope, type IdRange, nestedRanges, ownRange } from './cell-id.ts'
import { DurableAgentMemory } from './durable-agent-memory.ts'
import { decodeHead, type Head } from './head.ts'

const DAY_MS = 86_400_000
/** A request that arrives late may still be on its way for this long: no tombstone goes earlier. */
const MIN_PURGE_AGE_MS = 600_000
const PAGE = 500
const MAX_LIMIT = 1_000
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export interface StorageOptions {
  /** How long one call of the driver may take, in ms. Default 15,000. */
  readonly timeoutMs?: number
  /** How often one operation is tried in all after conflicts and transient errors, within 30 s. Default: no bound. */
  readonly attempts?: number
  /** Encrypts every entry; heads hold no content. Default: none. */
  readonly encryption?: Encryption
  /** Runs once at `close`, after the last operation: ends what was opened for this storage. */
  readonly close?: () => void | Promise<void>
}

export interface MemoryOptions {
  /** Runs on the write path of this handle. */
  readonly compressor?: MemoryCompressor | undefined
}

export interface MemorySummary {
  /** As it was given to `memory(id)`. */
  readonly id: string
  /** Epoch ms of the last write; absent where the stored head cannot be read. */
  readonly updatedAt?: number
}

export interface MemoryList {
  readonly memories: MemorySummary[]
  /** Pass it as `after` to get the next page; absent on the last one. */
  readonly next?: string
}

/** What every scope of one storage shares. */
interface Shared {
  readonly backend: Backend
  /** One live cell per id, for as long as somebody holds it. */
  readonly cells: Map<string, WeakRef<Cell>>
  readonly collected: FinalizationRegistry<string>
}

/** A part of a storage that never sees, and is never seen by, another part. */
export class StorageScope {
  readonly #shared: Shared
  readonly #path: readonly string[]

  /** @internal */
  constructor(shared: Shared, path: readonly string[]) {
    this.#shared = shared
    this.#path = path
  }

  /**
   * The memory called `id`: any non-blank text without control characters, at most 255 UTF-8 bytes, else
   * `INVALID_ARGUMENT`. Opening writes nothing.
   */
  memory(id: string, options: MemoryOptions = {}): DurableAgentMemory {
    const { compressor } = knownOptions(options, ['compressor'])
    return new DurableAgentMemory(this.#cell(this.#cellId(id)), new Compression(compressor))
  }

  /**
   * The ids of this scope, ascending by their UTF-8 bytes, without loading what they hold.
   * `after`: the `next` of the page before. `limit`: 1 to 1,000, default 100.
   * Errors: `INVALID_ARGUMENT`, `STORAGE_FAILED`, `CLOSED`.
   */
  async listMemories(
    query: { readonly after?: string | undefined; readonly limit?: number | undefined } = {},
  ): Promise<MemoryList> {
    const { after, limit = 100 } = knownOptions(query, ['after', 'limit'])
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw invalid(`limit must be a whole number from 1 to ${MAX_LIMIT}, got ${show(limit)}.`)
    }
    const range = ownRange('m', this.#path)
    const start = after === undefined ? range.after : range.after + checkId(after, 'after')
    const memories: MemorySummary[] = []
    // One more than asked for tells whether there is a next page.
    for await (const listed of this.#walk({ ...range, after: start }, limit + 1)) {
      const head = readable(listed)
      if (head?.d) continue
      const id = listed.id.slice(range.after.length)
      memories.push(head ? { id, updatedAt: head.t } : { id })
      if (memories.length > limit) break
    }
    const page = memories.slice(0, limit)
    const last = page.at(-1)
    return memories.length > limit && last ? { memories: page, next: last.id } : { memories: page }
  }

  /** Deletes the memory called `id`, readable or not; answers whether there was one. Errors as of any write. */
  async deleteMemory(id: string): Promise<boolean> {
    return this.#cell(this.#cellId(id)).delete()
  }

  /** The scope called `name` inside this one: any text that could be an id, at most 8 deep, else `INVALID_ARGUMENT`. */
  scope(name: string): StorageScope {
    return new StorageScope(this.#shared, childScope(this.#path, name))
  }

  /**
   * Deletes every memory of this scope and of the scopes nested in it; answers how many there were. Those
   * created meanwhile may stay. Errors as of any write; what was deleted before one stays deleted.
   */
  async deleteAll(): Promise<number> {
    let deleted = 0
    for await (const listed of this.#walkNested()) {
      if (!readable(listed)?.d && (await this.#cell(listed.id).delete())) deleted++
    }
    return deleted
  }

  /**
   * Removes what deletions leave behind, in this scope and the scopes nested in it, where it is older than
   * `olderThanMs` (default 7 days, at least 10 minutes) and the backend can. `kept`: how many stay.
   * Errors: `INVALID_ARGUMENT`, `STORAGE_FAILED`, `CLOSED`.
   */
  async purge(
    options: { readonly olderThanMs?: number | undefined } = {},
  ): Promise<{ removed: number; kept: number }> {
    const { olderThanMs = 7 * DAY_MS } = knownOptions(options, ['olderThanMs'])
    if (!Number.isFinite(olderThanMs) || olderThanMs < MIN_PURGE_AGE_MS) {
      throw invalid(
        `olderThanMs must be at least ${MIN_PURGE_AGE_MS} (a late request may arrive until then), got ${show(olderThanMs)}.`,
      )
    }
    const { backend } = this.#shared
    const count = { removed: 0, kept: 0 }
    for await (const listed of this.#walkNested()) {
      const head = readable(listed)
      if (!head?.d) continue
      const old = Date.now() - head.t > olderThanMs
      const removed =
        old &&
        (await backend.track(() =>
          backend.read(listed.id, async (driver) => driver.delete?.(listed.id, listed)),
        ))
      count[removed ? 'removed' : 'kept']++
    }
    return count
  }

  #cellId(id: unknown): string {
    return cellId('m', this.#path, id, 'A memory id')
  }

  #cell(id: string): Cell {
    const { cells, collected, backend } = this.#shared
    const known = cells.get(id)?.deref()
    if (known) return known
    const cell = new Cell(id, backend)
    cells.set(id, new WeakRef(cell))
    collected.register(cell, id)
    return cell
  }

  async *#walkNested(): AsyncGenerator<Listed> {
    for (const range of nestedRanges('m', this.#path)) yield* this.#walk(range, PAGE)
  }

  async *#walk({ after, before }: IdRange, page: number): AsyncGenerator<Listed> {
    const { backend } = this.#shared
    for (let start = after; ; ) {
      const query = { after: start, before, limit: Math.min(page, PAGE) }
      const rows = await backend.track(() => backend.read(start, (driver) => driver.list(query)))
      yield* rows
      const last = rows.at(-1)
      if (!last || rows.length < query.limit) return
      start = last.id
    }
  }
}

/** A head that cannot be read must not hide the sessions beside it. */
function readable({ head, id }: Listed): Head | undefined {
  try {
    return decodeHead(head, id)
  } catch {
    return undefined
  }
}

/** A storage: the outermost scope, and the one that is closed. Made by `createStorage` and by adapters. */
export class Storage extends StorageScope {
  readonly #backend: Backend
  readonly #end: () => void | Promise<void>
  #closing: Promise<void> | undefined

  /** @internal */
  constructor(shared: Shared, end: () => void | Promise<void>) {
    super(shared, [])
    this.#backend = shared.backend
    this.#end = end
  }

  /** Lets the operations under way end; later ones, and those of every scope, are `CLOSED`. */
  close(): Promise<void> {
    this.#closing ??= this.#backend.close().then(this.#end)
    return this.#closing
  }
}

/** A storage over any driver. Refuses a wrong driver or option with `INVALID_ARGUMENT`. */
export function createStorage(driver: SessionDriver, options: StorageOptions = {}): Storage {
  checkMethods('The driver', driver, ['read', 'replace', 'list'], ['append', 'delete', 'classify'])
  const {
    timeoutMs = 15_000,
    attempts = Infinity,
    encryption,
    close = () => {},
  } = knownOptions(options, ['timeoutMs', 'attempts', 'encryption', 'close'])
  if (!Number.isFinite(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    throw invalid(`timeoutMs must be from 1 to ${MAX_TIMEOUT_MS}, got ${show(timeoutMs)}.`)
  }
  if (attempts !== Infinity && !(Number.isSafeInteger(attempts) && attempts >= 1)) {
    throw invalid(`attempts must be a whole number of at least 1, got ${show(attempts)}.`)
  }
  if (encryption !== undefined) checkMethods('encryption', encryption, ['encrypt', 'decrypt'])
  if (typeof close !== 'function') throw invalid(`close must be a function, got ${show(close)}.`)
  const cells = new Map<string, WeakRef<Cell>>()
  const collected = new FinalizationRegistry<string>((id) => {
    // A newer cell may have taken the place of the collected one.
    if (!cells.get(id)?.deref()) cells.delete(id)
  })
  const backend = new Backend(driver, { timeoutMs, attempts, encryption })
  return new Storage({ backend, cells, collected }, close)
}
