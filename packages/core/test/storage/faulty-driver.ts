import type { Append, ErrorKind, SessionDriver, StoredSession, Version } from '../../src/index.ts'
import { MemoryDriver } from '../../src/storage/memory-driver.ts'

/** What becomes of the next write: never sent; applied, answer lost; applied by `land()`; applied, then `false`. */
export type Fate = 'unsent' | 'lost' | 'late' | 'false' | { readonly error: unknown }

export class LostAnswer extends Error {}

/** A real driver whose next requests go wrong in a chosen way. */
export class FaultyDriver implements SessionDriver {
  readonly inner = new MemoryDriver()
  readonly fates: Fate[] = []
  readonly readErrors: unknown[] = []
  readonly late: (() => Promise<unknown>)[] = []
  readonly reads: ({ readonly unless?: string; readonly skip?: number } | undefined)[] = []
  writes = 0
  /** Runs once, before the next read is answered. */
  beforeRead: (() => Promise<void>) | undefined

  async read(id: string, options?: { readonly unless?: string; readonly skip?: number }) {
    const act = this.beforeRead
    this.beforeRead = undefined
    await act?.()
    this.reads.push(options)
    if (this.readErrors.length > 0) throw this.readErrors.shift()
    return this.inner.read(id, options)
  }

  replace(id: string, next: StoredSession, expected: Version | null) {
    return this.#write(() => this.inner.replace(id, next, expected))
  }

  append(id: string, change: Append, expected: Version) {
    return this.#write(() => this.inner.append(id, change, expected))
  }

  delete(id: string, expected: Version) {
    return this.inner.delete(id, expected)
  }

  list(query: { readonly after?: string; readonly before?: string; readonly limit: number }) {
    return this.inner.list(query)
  }

  classify(error: unknown): ErrorKind | undefined {
    return error instanceof LostAnswer ? 'transient' : undefined
  }

  /** Lets every late request arrive. */
  async land(): Promise<unknown[]> {
    return Promise.all(this.late.splice(0).map((send) => send()))
  }

  async #write(send: () => Promise<Version | false>): Promise<Version | false> {
    this.writes++
    const fate = this.fates.shift()
    if (!fate) return send()
    if (fate === 'late') this.late.push(send)
    if (fate === 'lost' || fate === 'false') await send()
    if (typeof fate === 'object') throw fate.error
    if (fate === 'false') return false
    throw new LostAnswer(fate)
  }
}
