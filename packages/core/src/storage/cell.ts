import type { ErrorKind, Version } from '../driver.ts'
import { HoldfastError, type WriteOutcome } from '../errors.ts'
import { Turns } from '../turns.ts'
import { type Backend, storageError } from './backend.ts'
import { continueChain, startChain } from './chain.ts'
import { sealEntries, sealMeta, splitRecords } from './codec.ts'
import { type Head, nextHead, type Operation, recognise } from './head.ts'
import { CellReader, type Loaded, nothing } from './loaded-cell.ts'
import type { Patience } from './patience.ts'

/** What a change of a cell is computed from. */
export interface CellState {
  /** The driver's id. */
  readonly id: string
  /** The records of the session in order; none where nothing is stored. */
  readonly records: readonly string[]
  /** How many entries each record takes. */
  readonly sizes: readonly number[]
  /** Names the life of the session; undefined where none is stored. */
  readonly life: string | undefined
  /** Names this state; undefined where nothing was ever stored. */
  readonly revision: string | undefined
  /** What the head keeps for the cell's owner; undefined if nothing. */
  readonly meta: string | undefined
}

interface Meta {
  /** A small JSON text for the head, sealed as entries are: what a listing shows. Default: none. */
  readonly meta?: string
}

/** Records to drop at the front and to add behind; or all that is to remain; or a deletion; or nothing. */
export type CellChange =
  | ({ readonly drop: number; readonly add: readonly string[] } & Meta)
  | ({ readonly records: readonly string[] } & Meta)
  | 'delete'
  | undefined

export interface CommitOptions {
  /** Let the first decision rest on a fresh read, not on what is cached. */
  readonly fresh?: boolean
  /** Runs once the change is committed, in that life, before the turn of the next call. */
  readonly committed?: ((life: string | undefined) => void) | undefined
}

/** One attempt, finished and ready to be sent as often as needed. */
interface Write {
  readonly expected: Version | null
  /** The head of the state that it is based on. */
  readonly previous: Head | undefined
  readonly operation: Operation
  readonly head: Head
  /** How many records it drops at the front of what is loaded. */
  readonly drop: number
  readonly add: readonly string[]
  readonly sizes: readonly number[]
  readonly meta: string | undefined
  readonly revision: string
  send(): Promise<Version | false> | false
}

const isAppend = (
  plan: NonNullable<CellChange>,
): plan is { readonly drop: number; readonly add: readonly string[] } =>
  plan !== 'delete' && 'drop' in plan

const stateOf = (id: string, { version, head, meta, records, sizes }: Loaded): CellState => ({
  id,
  records,
  sizes,
  life: head?.d ? undefined : head?.l,
  revision: version?.revision,
  meta,
})

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/**
 * Everything stored for one id of one storage: its queue, its cached state, and the one commit path
 * (docs/design.md, "One commit"). Handles of one id share it, so a writer has one operation open per cell.
 */
export class Cell {
  readonly id: string
  readonly #backend: Backend
  readonly #reader: CellReader
  #loaded: Loaded = nothing()
  readonly #turns = new Turns()

  constructor(id: string, backend: Backend) {
    this.id = id
    this.#backend = backend
    this.#reader = new CellReader(id, backend)
  }

  /** Runs `task` when every call before it has ended. */
  turn<T>(task: () => Promise<T>): Promise<T> {
    return this.#backend.track(() => this.#turns.take(task))
  }

  /** A strong read. `view` must copy what it keeps. */
  read<T>(view: (state: CellState) => T): Promise<T> {
    const patience = this.#backend.patience()
    return this.turn(async () => view(stateOf(this.id, await this.#load(patience))))
  }

  /** Whether a session is stored, readable or not. Loads no entries. */
  async exists(): Promise<boolean> {
    const { head } = await this.#backend.track(() =>
      this.#reader.loadHead(this.#backend.patience()),
    )
    return head !== undefined && head.d === undefined
  }

  /**
   * Commits what `change` answers; it may run again, each time on a newer state. Answers the revision of its
   * own write, which may be no longer the current one; without a write, that of the state it saw.
   */
  commit(
    change: (state: CellState) => CellChange,
    { fresh = false, committed }: CommitOptions = {},
  ): Promise<string | undefined> {
    // Patience starts with the call: behind a backend that is down, calls must not wait in a row.
    const patience = this.#backend.patience()
    return this.turn(async () => {
      const { life, revision } = await this.#commit(change, fresh, patience, () =>
        this.#load(patience),
      )
      committed?.(life)
      return revision
    })
  }

  /** Removes the session, readable or not; answers whether there was one. */
  async delete(): Promise<boolean> {
    let deleted = false
    const patience = this.#backend.patience()
    await this.turn(async () => {
      try {
        await this.#commit(
          (state) => {
            deleted = state.life !== undefined
            return deleted ? 'delete' : undefined
          },
          true,
          patience,
          async () => this.#install(await this.#reader.loadHead(patience)),
        )
      } finally {
        // A head without its entries must not stay behind as the cached state: it may be of a new life.
        this.#loaded = nothing()
      }
    })
    return deleted
  }

  /** Answers the life that the change was committed in, and the revision that it made. */
  async #commit(
    change: (state: CellState) => CellChange,
    fresh: boolean,
    patience: Patience,
    load: () => Promise<Loaded>,
  ): Promise<Pick<CellState, 'life' | 'revision'>> {
    const operation = { writer: this.#backend.writer, number: this.#backend.count() }
    for (let rested = false; ; ) {
      if (!rested && (fresh || this.#loaded.version === null)) {
        await load().catch((cause) => this.#notSent(cause))
        rested = true
      }
      const state = stateOf(this.id, this.#loaded)
      let plan: CellChange
      try {
        plan = change(state)
        if (plan === undefined && rested) return state
      } catch (error) {
        if (rested) throw error
      }
      if (plan === undefined) {
        // A decision to do nothing, or to refuse, rests on a fresh read.
        fresh = true
        continue
      }
      const write = await this.#prepare(plan, operation)
      if (await this.#send(write, patience, load)) {
        return { life: write.head.l, revision: write.revision }
      }
      rested = true
    }
  }

  #notSent(cause: unknown): never {
    throw storageError(undefined, this.id, cause, 'not-committed')
  }

  async #prepare(plan: NonNullable<CellChange>, operation: Operation): Promise<Write> {
    const { driver, writer } = this.#backend
    const { version: expected, head: previous, records, sizes, count } = this.#loaded
    const revision = `${writer}.${this.#backend.count().toString(36)}`
    const drop = isAppend(plan) ? plan.drop : records.length
    const dropped = sum(sizes.slice(0, drop))
    const add = plan === 'delete' ? [] : isAppend(plan) ? plan.add : plan.records
    const meta = plan === 'delete' ? undefined : plan.meta
    const { entries: plain, sizes: added } = splitRecords(add)
    const entries = this.#backend.encryption ? await this.#seal(plain) : plain
    const m =
      meta && (await sealMeta(meta, this.id, this.#backend).catch((cause) => this.#notSent(cause)))
    const live = previous !== undefined && previous.d === undefined
    const head = nextHead(previous, operation, {
      c:
        live && isAppend(plan) && drop === 0
          ? continueChain(previous.c, entries)
          : startChain(revision),
      e: count - dropped + entries.length,
      l: live ? previous.l : revision,
      ...(m !== undefined && { m }),
      ...(plan === 'delete' && { d: 1 }),
    })
    const write = (send: Write['send']): Write => {
      return { expected, previous, operation, head, drop, add, sizes: added, meta, revision, send }
    }
    if (isAppend(plan) && expected && driver.append) {
      const change = {
        revision,
        head: JSON.stringify(head),
        drop: dropped,
        entries,
      }
      return write(() => driver.append?.(this.id, change, expected) ?? false)
    }
    const rest = splitRecords(records.slice(drop)).entries
    const kept = this.#backend.encryption ? await this.#seal(rest) : rest
    const next = { revision, head: JSON.stringify(head), entries: [...kept, ...entries] }
    return write(() => driver.replace(this.id, next, expected))
  }

  #seal(entries: readonly string[]): Promise<readonly string[]> {
    return sealEntries(entries, this.id, this.#backend).catch((cause) => this.#notSent(cause))
  }

  /**
   * Sends `write` until it is known to be committed (true) or known never to be (false). While the stored
   * state is still the expected one, a request may be on its way: the same bytes are sent again, and the
   * condition lets only one of them in.
   */
  async #send(write: Write, patience: Patience, load: () => Promise<Loaded>): Promise<boolean> {
    for (let resent = false; ; resent = true) {
      let failure: { readonly cause: unknown } | undefined
      try {
        const version = await this.#backend.call(write.send)
        if (version) {
          this.#accept(write, version)
          return true
        }
      } catch (cause) {
        failure = { cause }
      }
      const kind = failure && this.#backend.classify(failure.cause)
      if ((kind === 'too-large' || kind === 'refused') && !resent) {
        throw storageError(kind, this.id, failure?.cause, 'not-committed')
      }

      let found: Loaded
      try {
        found = await load()
      } catch (cause) {
        throw storageError(undefined, this.id, cause, 'unknown')
      }
      const verdict = recognise(found.head, write.operation, write.previous)
      if (verdict === 'committed') return true
      const final =
        verdict === 'not-committed' && found.version?.revision !== write.expected?.revision
      const hopeful = verdict === 'not-committed' && (!failure || kind === 'transient')
      if (!hopeful || !(await patience.again(!failure))) {
        throw this.#lost(failure, kind, final ? 'not-committed' : 'unknown')
      }
      if (final) return false
    }
  }

  #lost(
    failure: { readonly cause: unknown } | undefined,
    kind: ErrorKind | undefined,
    outcome: WriteOutcome,
  ): HoldfastError {
    if (failure) return storageError(kind, this.id, failure.cause, outcome)
    return new HoldfastError(
      'CONFLICT',
      `Other writers of ${JSON.stringify(this.id)} were faster each time (the write is ${outcome}); try again with fewer of them.`,
      { outcome },
    )
  }

  #accept({ drop, add, sizes, meta, head }: Write, version: Version): void {
    const loaded = this.#loaded
    loaded.version = version
    loaded.head = head
    loaded.meta = meta
    if (drop > 0) {
      loaded.records.splice(0, drop)
      loaded.count -= sum(loaded.sizes.splice(0, drop))
    }
    // One by one: the arguments of a single push are limited.
    for (const text of add) loaded.records.push(text)
    for (const size of sizes) {
      loaded.sizes.push(size)
      loaded.count += size
    }
  }

  /** Brings the cached state up to date. */
  async #load(patience: Patience): Promise<Loaded> {
    return this.#install(await this.#reader.load(this.#loaded, patience))
  }

  #install(loaded: Loaded): Loaded {
    this.#loaded = loaded
    return loaded
  }
}
