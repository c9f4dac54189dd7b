import type { MemoryCompressor } from '../contracts/memory-compressor.ts'
import type { Listed, SessionDriver, Sweep } from '../driver.ts'
import { checkMethods, invalid, knownOptions, show } from '../errors.ts'
import { LATE_REQUEST_MS } from '../late-request.ts'
import { Compression } from '../memory/compression.ts'
import { Backend } from './backend.ts'
import type { Cell } from './cell.ts'
import { childScope, nestedRanges, recordBeside } from './cell-id.ts'
import { CellSet, Cells, type PageQuery, readableHead } from './cell-set.ts'
import { DurableAgentMemory } from './durable-agent-memory.ts'
import { DurableSessionStore } from './durable-session-store.ts'
import { type StorageSettings, storageSettings } from './storage-options.ts'

const DAY_MS = 86_400_000

/** How a storage works with its driver. */
export interface StorageOptions extends StorageSettings {
  /** Runs once at `close`, after the last operation: ends what was opened for this storage. */
  readonly close?: (() => void | Promise<void>) | undefined
}

/** What a handle on a memory is opened with. */
export interface MemoryOptions {
  /** Runs on the write path of this handle. */
  readonly compressor?: MemoryCompressor | undefined
}

/** A memory as a list shows it. */
export interface MemorySummary {
  /** As it was given to `memory(id)`. */
  readonly id: string
  /** Epoch ms of the last write; absent where the stored head cannot be read. */
  readonly updatedAt?: number
}

/** One page of a list. */
export interface MemoryList {
  /** Ascending by id. */
  readonly memories: MemorySummary[]
  /** Pass it as `after` to get the next page; absent on the last one. */
  readonly next?: string
}

/** A part of a storage that never sees, and is never seen by, another part. */
export class StorageScope {
  readonly #cells: Cells
  readonly #path: readonly string[]
  readonly #memories: CellSet

  /** @internal */
  constructor(cells: Cells, path: readonly string[]) {
    this.#cells = cells
    this.#path = path
    this.#memories = new CellSet(cells, 'm', path, 'A memory id')
  }

  /**
   * The memory called `id`: any non-blank text without control characters, at most 255 UTF-8 bytes, else
   * `INVALID_ARGUMENT`. Opening writes nothing.
   */
  memory(id: string, options: MemoryOptions = {}): DurableAgentMemory {
    const { compressor } = knownOptions(options, ['compressor'])
    return new DurableAgentMemory(this.#memories.cell(id), new Compression(compressor))
  }

  /**
   * The ids of this scope, ascending by their UTF-8 bytes, without loading what they hold.
   * `after`: the `next` of the page before. `limit`: 1 to 1,000, default 100.
   * Errors: `INVALID_ARGUMENT`, `STORAGE_FAILED`, `CLOSED`.
   */
  async listMemories(query: PageQuery = {}): Promise<MemoryList> {
    const { rows, next } = await this.#memories.page(query)
    const memories = rows.map(({ id, head }) => (head ? { id, updatedAt: head.t } : { id }))
    return { memories, ...next }
  }

  /** Deletes the memory called `id`, readable or not; answers whether there was one. Errors as of any write. */
  async deleteMemory(id: string): Promise<boolean> {
    return this.#memories.cell(id).delete()
  }

  /**
   * The session store of this scope. A session and a memory of one id are stored apart. Its ids are like
   * those of memories.
   */
  sessions(): DurableSessionStore {
    return new DurableSessionStore(this.#sessions())
  }

  /** @internal Where what belongs to `id` is stored. */
  cellsOf(id: string): { readonly memory: Cell; readonly session: Cell } {
    return { memory: this.#memories.cell(id), session: this.#sessions().cell(id) }
  }

  #sessions(): CellSet {
    return new CellSet(this.#cells, 's', this.#path, 'A session id')
  }

  /** The scope called `name` inside this one: any text that could be an id, at most 8 deep, else `INVALID_ARGUMENT`. */
  scope(name: string): StorageScope {
    return new StorageScope(this.#cells, childScope(this.#path, name))
  }

  /**
   * Deletes every memory and session of this scope and of the scopes nested in it; answers how many there were. Those
   * created meanwhile may stay. Errors as of any write; what was deleted before one stays deleted.
   */
  async deleteAll(): Promise<number> {
    let deleted = 0
    for await (const listed of this.#walkNested()) {
      if (!readableHead(listed)?.d && (await this.#cells.cell(listed.id).delete())) deleted++
    }
    return deleted
  }

  /**
   * Removes what deletions and interrupted writes leave behind, in this scope and the scopes nested in it,
   * where it is older than `olderThanMs` (default 7 days, at least 10 minutes) and the backend can. A deleted
   * memory stays for as long as a session of its id in its scope: a resume would fill it again from the record.
   * Keep the two in one scope, or delete the session, too. Ages are by the clocks of the processes.
   * `removed`, `kept`: how many deleted memories and sessions are gone for good, and how many stay. `swept`:
   * how many parts that no session needs were removed; 0 on a backend that never leaves any.
   * Errors: `INVALID_ARGUMENT`, `STORAGE_FAILED`, `CLOSED`.
   */
  async purge(
    options: { readonly olderThanMs?: number | undefined } = {},
  ): Promise<{ removed: number; kept: number; swept: number }> {
    const { olderThanMs = 7 * DAY_MS } = knownOptions(options, ['olderThanMs'])
    if (!Number.isFinite(olderThanMs) || olderThanMs < LATE_REQUEST_MS) {
      throw invalid(
        `olderThanMs must be at least ${LATE_REQUEST_MS} (a late request may arrive until then), got ${show(olderThanMs)}.`,
      )
    }
    const { backend } = this.#cells
    const count = { removed: 0, kept: 0, swept: 0 }
    for await (const listed of this.#walkNested()) {
      const head = readableHead(listed)
      if (!head?.d) continue
      const removed =
        Date.now() - head.t > olderThanMs &&
        !(await this.#hasRecord(listed.id)) &&
        (await backend.track(() =>
          backend.read(listed.id, async (driver) => driver.delete?.(listed.id, listed)),
        ))
      count[removed ? 'removed' : 'kept']++
    }
    for (const range of nestedRanges(this.#path)) {
      count.swept += await this.#sweep({ ...range, olderThanMs })
    }
    return count
  }

  /** Whether beside the memory called `id` there is a session, readable or not. */
  async #hasRecord(id: string): Promise<boolean> {
    const record = recordBeside(id)
    return record !== undefined && (await this.#cells.cell(record).exists())
  }

  async #sweep(query: Sweep): Promise<number> {
    const { backend } = this.#cells
    let removed = 0
    for (let next: { from?: string } | undefined = {}; next; ) {
      const page: Sweep = { ...query, ...next }
      const swept = await backend.track(() =>
        backend.read(query.after, async (driver) => driver.sweep?.(page)),
      )
      removed += swept?.removed ?? 0
      next = swept?.next === undefined ? undefined : { from: swept.next }
    }
    return removed
  }

  async *#walkNested(): AsyncGenerator<Listed> {
    for (const range of nestedRanges(this.#path)) yield* this.#cells.walk(range)
  }
}

/** A storage: the outermost scope, and the one that is closed. Made by `createStorage` and by adapters. */
export class Storage extends StorageScope {
  readonly #backend: Backend
  readonly #end: () => void | Promise<void>
  #closing: Promise<void> | undefined

  /** @internal */
  constructor(cells: Cells, end: () => void | Promise<void>) {
    super(cells, [])
    this.#backend = cells.backend
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
  checkMethods(
    'The driver',
    driver,
    ['read', 'replace', 'list'],
    ['append', 'delete', 'sweep', 'classify'],
  )
  const { close = () => {}, ...settings } = knownOptions(options, [
    'timeoutMs',
    'attempts',
    'encryption',
    'close',
  ])
  const { timeoutMs, attempts, encryption } = storageSettings(settings)
  if (typeof close !== 'function') throw invalid(`close must be a function, got ${show(close)}.`)
  const backend = new Backend(driver, { timeoutMs, attempts, encryption })
  return new Storage(new Cells(backend), close)
}
