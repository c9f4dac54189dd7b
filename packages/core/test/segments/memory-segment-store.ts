import type { ErrorKind, Version } from '../../src/driver.ts'
import { compareUtf8 } from '../../src/ids.ts'
import type { ListedSegment, SegmentStore, StoredHead } from '../../src/segments.ts'

export class LostAnswer extends Error {}

type Call =
  | 'readHead'
  | 'writeHead'
  | 'removeHead'
  | 'writeSegment'
  | 'readSegment'
  | 'removeSegments'

interface Stored {
  readonly text: string
  readonly at: number
}

/** Heads and segments as JSON texts, as a remote store would keep them; every call can be counted, delayed and broken. */
export class MemorySegmentStore implements SegmentStore {
  readonly heads = new Map<string, Stored>()
  /** By id, then by name. */
  readonly segments = new Map<string, Map<string, Stored>>()
  readonly calls = new Map<Call, number>()
  /** Bytes written, heads and segments. */
  written = 0
  now = () => Date.now()
  /** Runs before a call takes effect: may wait, or throw so that it never does. */
  before: (call: Call, id: string) => Promise<void> | void = () => {}
  /** Runs after it took effect: may wait, or throw so that the answer is lost. */
  after: (call: Call, id: string) => Promise<void> | void = () => {}
  pageSize = 100

  count(call: Call): number {
    return this.calls.get(call) ?? 0
  }

  /** Forgets what was counted. */
  reset(): void {
    this.calls.clear()
    this.written = 0
  }

  head(id: string): StoredHead | null {
    const stored = this.heads.get(id)
    return stored ? JSON.parse(stored.text) : null
  }

  names(id: string): string[] {
    return [...(this.segments.get(id)?.keys() ?? [])].sort()
  }

  readHead(id: string, known?: Version) {
    return this.#call('readHead', id, () => {
      const head = this.head(id)
      if (!head) return null
      return known?.token === head.guard ? 'unchanged' : { ...head, token: head.guard }
    })
  }

  writeHead(id: string, { token: _, ...next }: StoredHead, expected: Version | null) {
    const text = JSON.stringify(next)
    return this.#call('writeHead', id, () => {
      if (this.head(id)?.guard !== expected?.token) return false
      this.heads.set(id, { text, at: this.now() })
      this.written += text.length
      return { revision: next.revision, token: next.guard }
    })
  }

  removeHead(id: string, expected: Version) {
    return this.#call('removeHead', id, () => {
      return this.head(id)?.guard === expected.token && this.heads.delete(id)
    })
  }

  async listHeads({
    after = '',
    before,
    limit,
  }: {
    readonly after?: string
    readonly before?: string
    readonly limit: number
  }) {
    return [...this.heads.keys()]
      .filter((id) => within(id, after, before))
      .sort(compareUtf8)
      .slice(0, limit)
      .flatMap((id) => {
        const found = this.head(id)
        return found ? [{ id, revision: found.revision, head: found.head }] : []
      })
  }

  async writeSegment(id: string, name: string, entries: readonly string[]): Promise<void> {
    const text = JSON.stringify(entries)
    await this.#call('writeSegment', id, () => {
      const segments = this.segments.get(id) ?? new Map<string, Stored>()
      if (segments.has(name)) throw new Error(`The name ${name} was used before.`)
      this.segments.set(id, segments.set(name, { text, at: this.now() }))
      this.written += text.length
    })
  }

  readSegment(id: string, name: string): Promise<readonly string[] | undefined> {
    return this.#call('readSegment', id, () => {
      const stored = this.segments.get(id)?.get(name)
      return stored && JSON.parse(stored.text)
    })
  }

  async removeSegments(id: string, names: readonly string[]): Promise<void> {
    await this.#call('removeSegments', id, () => {
      for (const name of names) this.segments.get(id)?.delete(name)
    })
  }

  async listSegments({
    after = '',
    before,
    from = '0',
  }: {
    readonly after?: string
    readonly before?: string
    readonly from?: string
  }) {
    const all: ListedSegment[] = [...this.segments].flatMap(([id, segments]) =>
      within(id, after, before) ? [...segments].map(([name, { at }]) => ({ id, name, at })) : [],
    )
    // A page is found by what stands before it, so that removals meanwhile hide nothing.
    const rest = all.sort((a, b) => (key(a) < key(b) ? -1 : 1)).filter((one) => key(one) > from)
    const segments = rest.slice(0, this.pageSize)
    const last = segments.at(-1)
    return last && segments.length < rest.length ? { segments, next: key(last) } : { segments }
  }

  classify(error: unknown): ErrorKind | undefined {
    return error instanceof LostAnswer ? 'transient' : undefined
  }

  async #call<T>(call: Call, id: string, run: () => T): Promise<T> {
    this.calls.set(call, this.count(call) + 1)
    await this.before(call, id)
    const answer = run()
    await this.after(call, id)
    return answer
  }
}

const key = ({ id, name }: { readonly id: string; readonly name: string }) => `${id}/${name}`

const within = (id: string, after: string, before: string | undefined) =>
  compareUtf8(id, after) > 0 && (before === undefined || compareUtf8(id, before) < 0)
