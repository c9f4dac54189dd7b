import type { Version } from '@holdfast/core'
import type { SegmentStore, StoredHead } from '@holdfast/core/segments'

const order = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Heads and segments in this process, guarded by `guard` alone. */
export class SegmentMap implements SegmentStore {
  readonly #heads = new Map<string, StoredHead>()
  readonly #segments = new Map<string, readonly string[]>()

  async readHead(id: string, known?: Version) {
    const head = this.#heads.get(id)
    if (!head) return null
    return head.guard === known?.token ? 'unchanged' : { ...head, token: head.guard }
  }

  async writeHead(id: string, next: StoredHead, expected: Version | null) {
    if (this.#heads.get(id)?.guard !== expected?.token) return false
    this.#heads.set(id, structuredClone(next))
    return { revision: next.revision, token: next.guard }
  }

  async removeHead(id: string, expected: Version) {
    return this.#heads.get(id)?.guard === expected.token && this.#heads.delete(id)
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
    return [...this.#heads]
      .filter(([id]) => order(id, after) > 0 && (before === undefined || order(id, before) < 0))
      .sort(([a], [b]) => order(a, b))
      .slice(0, limit)
      .map(([id, { revision, head }]) => ({ id, revision, head }))
  }

  async writeSegment(id: string, name: string, entries: readonly string[]) {
    this.#segments.set(`${name} ${id}`, [...entries])
  }

  async readSegment(id: string, name: string) {
    return this.#segments.get(`${name} ${id}`)
  }

  async removeSegments(id: string, names: readonly string[]) {
    for (const name of names) this.#segments.delete(`${name} ${id}`)
  }

  async listSegments() {
    return { segments: [] }
  }
}
