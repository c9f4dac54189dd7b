import {
  type AgentEvent,
  type AgentSessionSnapshot,
  type AgentSessionStore,
  HoldfastError,
  type SessionList,
  type SessionSummary,
} from '@holdfast/core'

export interface Row {
  readonly id: string
  revision: string
  snapshot: AgentSessionSnapshot
}

export type Query = { readonly after?: string | undefined; readonly limit?: number | undefined }

/** What all processes share. */
export interface World {
  readonly rows: Map<string, Row>
  /** Something beside the rows, for faults that need it. */
  readonly extra: Map<string, unknown>
}

export const tick = (): Promise<void> => new Promise((done) => setTimeout(done, 0))

const conflict = (message: string) => new HoldfastError('CONFLICT', message)
const invalid = (message: string) => new HoldfastError('INVALID_ARGUMENT', message)
const text = (value: unknown) => JSON.stringify(value)

/** Refuses what JSON would change. */
export function checkJson(value: unknown, inList = false): void {
  if (value === undefined && !inList) return
  if (value === null || ['string', 'boolean'].includes(typeof value)) return
  if (typeof value === 'number' && Number.isFinite(value)) return
  const plain =
    Array.isArray(value) ||
    (typeof value === 'object' &&
      value !== null &&
      Object.getPrototypeOf(value) === Object.prototype)
  if (!plain) throw new HoldfastError('NOT_SERIALIZABLE', 'JSON cannot carry this')
  for (const child of Object.values(value as object)) checkJson(child, Array.isArray(value))
}

/** A right store in small steps: each broken one overrides the step that it gets wrong. */
export class PlainStore implements AgentSessionStore {
  readonly world: World

  constructor(world: World) {
    this.world = world
  }

  /** The name of a session in the storage. */
  keyOf(id: string): string {
    return id
  }

  find(id: string): Row | undefined {
    return this.world.rows.get(this.keyOf(id))
  }

  newRevision(): string {
    return crypto.randomUUID()
  }

  checkId(id: string): void {
    const fine = id.trim() !== '' && !/[\p{Cc}\p{Cs}]/u.test(id) && Buffer.byteLength(id) <= 255
    if (!fine) throw invalid('the id')
  }

  checkValues({ memory, metadata }: AgentSessionSnapshot): void {
    try {
      checkJson(memory)
      checkJson(metadata)
    } catch (error) {
      throw error instanceof HoldfastError
        ? error
        : new HoldfastError('NOT_SERIALIZABLE', 'a cycle')
    }
  }

  checkSize({ metadata }: AgentSessionSnapshot): void {
    if (Buffer.byteLength(text(metadata.attributes)) > 10 * 1_024) {
      throw new HoldfastError('TOO_LARGE', 'the attributes')
    }
  }

  check(snapshot: AgentSessionSnapshot): void {
    this.checkId(snapshot.id)
    this.checkValues(snapshot)
    this.checkSize(snapshot)
  }

  /** What becomes of a snapshot on its way into the storage. */
  keep({ revision: _, ...snapshot }: AgentSessionSnapshot): AgentSessionSnapshot {
    return this.copy(snapshot)
  }

  copy<T>(value: T): T {
    return JSON.parse(JSON.stringify(value)) as T
  }

  matches(row: Row | undefined, { revision }: AgentSessionSnapshot): boolean {
    return row?.revision === revision
  }

  /** Whether `next` goes on where `stored` ends; its front may be one baseline. */
  continues(stored: readonly AgentEvent[], next: readonly AgentEvent[]): boolean {
    const [first] = next
    const last = stored.at(-1)
    if (!last) return true
    if (!first || (next.at(-1)?.sequence ?? 0) < last.sequence) return false
    const trims = first.type === 'SESSION_RESTORED' && first.sequence > (stored[0]?.sequence ?? 0)
    const kept = stored.filter(({ sequence }) => !trims || sequence > first.sequence)
    const given = next.filter(
      (event) => event.sequence <= last.sequence && !(trims && event === first),
    )
    return text(kept) === text(given)
  }

  async save(snapshot: AgentSessionSnapshot): Promise<{ revision: string }> {
    this.check(snapshot)
    const row = this.find(snapshot.id)
    if (!this.matches(row, snapshot)) throw conflict('another revision')
    if (row && !this.continues(row.snapshot.events, snapshot.events)) throw conflict('other events')
    return this.put(snapshot, row)
  }

  put(snapshot: AgentSessionSnapshot, _before: Row | undefined): { revision: string } {
    const revision = this.newRevision()
    const { id } = snapshot
    this.world.rows.set(this.keyOf(id), { id, revision, snapshot: this.keep(snapshot) })
    return { revision }
  }

  answer({ snapshot, revision }: Row): AgentSessionSnapshot {
    return { ...this.copy(snapshot), revision }
  }

  async load(id: string): Promise<AgentSessionSnapshot | undefined> {
    const row = this.find(id)
    return row && this.answer(row)
  }

  async delete(id: string): Promise<boolean> {
    return this.world.rows.delete(this.keyOf(id))
  }

  order(ids: readonly string[]): string[] {
    return [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  }

  ids(): string[] {
    return this.order([...this.world.rows.values()].map(({ id }) => id))
  }

  async listSessionIds(): Promise<string[]> {
    return this.ids()
  }

  checkLimit(limit: number): void {
    if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) throw invalid('the limit')
  }

  summary({ id, snapshot }: Row): SessionSummary {
    return { id, metadata: this.copy(snapshot.metadata) }
  }

  async listSessions({ after, limit = 100 }: Query = {}): Promise<SessionList> {
    this.checkLimit(limit)
    const behind = this.ids().filter((id) => after === undefined || this.isBehind(id, after))
    const page = behind.slice(0, limit)
    const rows = page.map((id) => this.find(id)).filter((row) => row !== undefined)
    const next = behind.length > limit ? page.at(-1) : undefined
    return {
      sessions: rows.map((row) => this.summary(row)),
      ...(next === undefined ? {} : { next }),
    }
  }

  isBehind(id: string, after: string): boolean {
    return Buffer.compare(Buffer.from(id), Buffer.from(after)) > 0
  }
}
