import type { StoredSession, WriteOutcome } from '@holdfast/core'
import { type AppliedWrite, CellHistory } from './cell-history.ts'
import { type Compression, Operation, type Plan } from './operation.ts'
import { type State, sameState, stateOfEntries, stateWith } from './state.ts'
import { Verdicts } from './verdicts.ts'

/** Where an item is in its life: it may come once and go once. */
interface ItemRecord {
  readonly operation: Operation
  readonly number: number
  where: 'unborn' | 'present' | 'gone'
}

/** Compressions that were never installed are forgotten past this many of one cell. */
const MAX_COMPRESSIONS = 500

/**
 * Knows what must be stored. It sees both sides of core: the calls of the writers with their outcomes,
 * and each write that the backend applied. Every applied write must be what one call of that storage,
 * open when the request was sent and not committed before, makes of the state before it (the model); so
 * the sequence of states is a replay of the calls in commit order. An acknowledged call must own exactly
 * one commit, a refused one none, and each item comes at most once and never comes back.
 */
export class Oracle {
  readonly verdicts = new Verdicts()
  readonly counts = {
    commits: 0,
    acknowledged: 0,
    unknown: 0,
    refused: 0,
    lateCommits: 0,
    audits: 0,
  }
  readonly #cells = new Map<string, CellHistory>()
  readonly #items = new Map<string, ItemRecord>()
  #digest = 0

  /** Names the whole history so far: equal digests, equal runs. */
  get digest(): string {
    return (this.#digest >>> 0).toString(16).padStart(8, '0')
  }

  cell(id: string): CellHistory {
    let cell = this.#cells.get(id)
    if (!cell) {
      cell = new CellHistory(id)
      this.#cells.set(id, cell)
    }
    return cell
  }

  cells(): IterableIterator<CellHistory> {
    return this.#cells.values()
  }

  begin(plan: Plan, at: { storage: string; cell: string; writer: number }, number = 0): Operation {
    const cell = this.cell(at.cell)
    const operation = new Operation(plan, { ...at, start: cell.now })
    cell.open.add(operation)
    for (const [index, text] of plan.brings.entries()) {
      this.#items.set(text, { operation, number: number + index, where: 'unborn' })
    }
    return operation
  }

  /** The call returned; `answer` says what a call that may find nothing to do has answered. */
  acknowledge(operation: Operation): void {
    this.#end(operation, 'committed')
    const { plan } = operation
    this.counts.acknowledged += plan.brings.length
    if (operation.commits === 0 && !this.#satisfied(operation)) {
      const kind = plan.brings.length > 0 ? 'lost' : 'wrong'
      this.verdicts.add(
        kind,
        operation.cell,
        `${plan.kind} was acknowledged and never committed: ${plan.brings[0] ?? ''}`,
      )
    }
    this.cell(operation.cell).end(operation)
  }

  fail(operation: Operation, outcome: WriteOutcome | undefined, said: string): void {
    this.#end(operation, outcome ?? 'not-committed')
    const { plan, commits, cell } = operation
    if (outcome === undefined) {
      this.verdicts.add('wrong', cell, `${plan.kind} failed without an outcome: ${said}`)
    } else if (outcome === 'committed' && commits === 0) {
      this.verdicts.add('lost', cell, `${plan.kind} failed as committed, and was not: ${said}`)
    } else if (outcome === 'not-committed' && commits > 0) {
      this.verdicts.add('wrong', cell, `${plan.kind} failed as not committed, and was: ${said}`)
    }
    if (outcome === 'committed') this.counts.acknowledged += plan.brings.length
    else this.counts[outcome === 'unknown' ? 'unknown' : 'refused']++
    this.cell(cell).end(operation)
  }

  /** A read began at state number `start` and showed `state`: it must have been the state at some time since. */
  shown(id: string, start: number, state: Omit<State, 'exists'>): void {
    const fits = (known: State) => sameState({ ...known, exists: true }, { ...state, exists: true })
    const cell = this.cell(id)
    if (cell.some(start, fits)) return
    this.#accuse(cell, cell.state, stateWith(state.items, state.summary), 'a read showed')
  }

  candidates(storage: string, id: string): readonly Operation[] {
    return [...this.cell(id).open].filter((operation) => operation.storage === storage)
  }

  compressed(id: string, compression: Compression): void {
    const { compressions } = this.cell(id)
    compressions.push(compression)
    if (compressions.length > MAX_COMPRESSIONS) compressions.shift()
  }

  /** The backend has applied `write`. */
  applied(write: AppliedWrite): void {
    const cell = this.cell(write.id)
    if (write.expected !== cell.revision) {
      if (cell.superseded.has(write.expected) || cell.waiting.has(write.expected)) {
        this.verdicts.add(
          'wrong',
          write.id,
          `two writes were applied to one state (${write.expected})`,
        )
      }
      cell.waiting.set(write.expected, write)
      return
    }
    for (let next: AppliedWrite | undefined = write; next; ) {
      this.#step(cell, next)
      cell.waiting.delete(next.expected)
      next = cell.waiting.get(cell.revision)
    }
  }

  /** Compares what is stored, read from the backend itself, with what must be. */
  audit(id: string, stored: StoredSession | null | 'unchanged'): void {
    const cell = this.cell(id)
    if (stored === 'unchanged') throw new Error('an audit reads everything')
    if ((stored?.revision ?? null) !== cell.revision) {
      this.verdicts.add('wrong', id, `stored at ${stored?.revision}, must be at ${cell.revision}`)
      return
    }
    this.counts.audits++
    if (!stored) return
    const same =
      stored.head === cell.head &&
      stored.entries.length === cell.entries.length &&
      stored.entries.every((entry, at) => entry === cell.entries[at])
    if (!same)
      this.#accuse(cell, cell.state, stateOfEntries(stored.head, stored.entries), 'stored is')
  }

  /** What is left when nobody writes any more. */
  close(): void {
    for (const cell of this.#cells.values()) {
      for (const write of cell.waiting.values()) {
        this.verdicts.add(
          'wrong',
          cell.id,
          `a write was applied to a state that never was (${write.expected})`,
        )
      }
      for (const { plan } of cell.open) {
        this.verdicts.add('wrong', cell.id, `${plan.kind} never ended`)
      }
    }
  }

  #end(operation: Operation, status: WriteOutcome): void {
    if (operation.status !== 'open') throw new Error('an operation ended twice')
    operation.status = status
  }

  #satisfied({ plan, cell, start }: Operation): boolean {
    const { satisfiedBy } = plan
    return satisfiedBy !== undefined && this.cell(cell).some(start, (state) => satisfiedBy(state))
  }

  #step(cell: CellHistory, write: AppliedWrite): void {
    const old = cell.state
    cell.superseded.add(cell.revision)
    cell.revision = write.revision
    cell.head = write.head
    cell.entries =
      write.drop === 0
        ? cell.entries.concat(write.entries)
        : [...cell.entries.slice(write.drop), ...write.entries]
    cell.touched = true
    const next = stateOfEntries(write.head, cell.entries)
    cell.push(next)
    this.counts.commits++
    this.#note(next)
    this.#checkOperation(cell, write.head)

    const owner = this.#owner(cell, write, old, next)
    this.#checkItems(cell, old, next)
    if (!owner) this.#accuse(cell, old, next, 'no open call makes this commit:')
  }

  /** The call whose model gives `next`. */
  #owner(
    cell: CellHistory,
    { candidates, storage }: AppliedWrite,
    old: State,
    next: State,
  ): boolean {
    for (const operation of candidates) {
      if (!operation.mayCommit()) continue
      if (operation.plan.outcomes(old).some((state) => sameState(state, next))) {
        operation.commits++
        if (operation.status === 'unknown') this.counts.lateCommits++
        return true
      }
    }
    const at = cell.compressions.findIndex(
      (one) => one.storage === storage && old.exists && installs(one, old, next),
    )
    if (at >= 0) cell.compressions.splice(at, 1)
    return at >= 0
  }

  /** An operation of core commits once, whatever it does: also a clear or a delete, which bring no items. */
  #checkOperation(cell: CellHistory, head: string): void {
    const { w } = JSON.parse(head) as { w: (string | number)[] }
    const name = `${w[0]}.${w[1]}`
    if (cell.operations.has(name)) {
      this.verdicts.add('doubled', cell.id, `operation ${name} of core committed twice`)
    }
    cell.operations.add(name)
  }

  #checkItems(cell: CellHistory, old: State, next: State): void {
    const before = new Set(old.items)
    const after = new Set(next.items)
    if (after.size < next.items.length) {
      this.verdicts.add('doubled', cell.id, `an item is stored twice: ${firstDouble(next.items)}`)
    }
    for (const text of after) {
      if (!before.has(text)) this.#arrive(cell, text)
    }
    for (const text of before) {
      const item = after.has(text) ? undefined : this.#items.get(text)
      if (item) item.where = 'gone'
    }
  }

  #arrive(cell: CellHistory, text: string): void {
    const item = this.#items.get(text)
    if (!item) {
      this.verdicts.add('wrong', cell.id, `nobody wrote ${text}`)
      return
    }
    const { operation, number } = item
    if (item.where !== 'unborn') {
      this.verdicts.add('resurrected', cell.id, `was ${item.where} and came again: ${text}`)
    }
    item.where = 'present'
    if (operation.cell !== cell.id) {
      this.verdicts.add('wrong', cell.id, `was written to ${operation.cell}: ${text}`)
    }
    if (number <= (cell.lastOf.get(operation.writer) ?? -1)) {
      this.verdicts.add('disordered', cell.id, `came after a later one of its writer: ${text}`)
    }
    cell.lastOf.set(operation.writer, Math.max(number, cell.lastOf.get(operation.writer) ?? -1))
  }

  /** Says in which way `actual` is not what it must be. */
  #accuse(cell: CellHistory, expected: State, actual: State, how: string): void {
    const { verdicts } = this
    const there = new Set(actual.items)
    if (there.size < actual.items.length) {
      verdicts.add('doubled', cell.id, `${how} ${firstDouble(actual.items)} twice`)
    }
    const missing = expected.items.find((text) => !there.has(text))
    const back = actual.items.find((text) => this.#items.get(text)?.where === 'gone')
    if (missing !== undefined) verdicts.add('lost', cell.id, `${how} no ${missing}`)
    if (back !== undefined) verdicts.add('resurrected', cell.id, `${how} ${back}, which was gone`)
    verdicts.add(
      'wrong',
      cell.id,
      `${how} ${outline(actual)} where ${outline(expected)} was before or is right`,
    )
  }

  #note(state: State): void {
    const texts = [
      state.exists ? '+' : '-',
      state.summary ?? '',
      state.items.at(0) ?? '',
      state.items.at(-1) ?? '',
      `${state.items.length}`,
    ]
    for (const text of texts) {
      for (let at = 0; at < text.length; at++) {
        this.#digest =
          Math.imul(this.#digest ^ text.charCodeAt(at), 0x01000193) ^ (this.#digest >>> 13)
      }
    }
  }
}

/** Whether `next` is `old` with the compression's result in place of exactly what the compressor saw. */
function installs({ seen, result }: Compression, old: State, next: State): boolean {
  const count = seen.items.length
  if (old.summary !== seen.summary || next.summary !== result.summary) return false
  if (seen.items.some((text, at) => text !== old.items[at])) return false
  return sameState(next, stateWith([...result.items, ...old.items.slice(count)], result.summary))
}

function firstDouble(items: readonly string[]): string | undefined {
  return items.find((text, at) => items.indexOf(text) !== at)
}

const outline = ({ exists, items, summary }: State) =>
  exists
    ? `${items.length} items (${items.at(0)} … ${items.at(-1)}), summary ${JSON.stringify(summary)}`
    : 'nothing'
