import { MemoryDriver, type SessionDriver, type StoredSession, type Version } from '@holdfast/core'

/** Backends that are wrong in one way each: the soak must find each of them out. */

/** Stores what is appended twice in one call in fifty. */
export class AppendsTwice extends MemoryDriver {
  #calls = 0

  override append(...[id, change, expected]: Parameters<MemoryDriver['append']>) {
    const twice = ++this.#calls % 50 === 0
    const entries = twice ? [...change.entries, ...change.entries] : change.entries
    return super.append(id, { ...change, entries }, expected)
  }
}

/** Acknowledges one append in fifty without keeping its entries. */
export class LosesAppends extends MemoryDriver {
  #calls = 0

  override append(...[id, change, expected]: Parameters<MemoryDriver['append']>) {
    const entries = ++this.#calls % 50 === 0 ? [] : change.entries
    return super.append(id, { ...change, entries }, expected)
  }
}

/** Compares no revisions: the last writer wins, however late its request. */
export class ComparesNothing extends MemoryDriver {
  override async append(...[id, change, expected]: Parameters<MemoryDriver['append']>) {
    const stored = (await super.read(id)) as StoredSession | null
    return super.append(id, change, stored ?? expected)
  }

  override async replace(id: string, next: StoredSession, _: Version | null) {
    return super.replace(id, next, (await super.read(id)) as StoredSession | null)
  }
}

/** `inner` with something else in the heads that core reads. */
function withHeads(inner: SessionDriver, change: object): SessionDriver {
  const { append } = inner
  return {
    async read(id, options) {
      const stored = await inner.read(id, options)
      if (stored === null || stored === 'unchanged') return stored
      return { ...stored, head: JSON.stringify({ ...JSON.parse(stored.head), ...change }) }
    },
    replace: (...args) => inner.replace(...args),
    ...(append && { append: append.bind(inner) }),
    list: (query) => inner.list(query),
  }
}

/** Hides from core who committed: a commit whose answer was lost cannot be recognised. */
export const hidesWriters = (inner: SessionDriver): SessionDriver => withHeads(inner, { w: [] })

/** Hides how many entries there should be, by which core finds out most of what a backend does wrong. */
export const hidesCounts = (inner: SessionDriver): SessionDriver =>
  withHeads(inner, { e: undefined })

/** Keeps the entries of a session that is deleted, and hands them out when it is created again. */
export class KeepsDeleted extends MemoryDriver {
  readonly #kept = new Map<string, readonly string[]>()

  override async replace(...[id, next, expected]: Parameters<MemoryDriver['replace']>) {
    const before = (await super.read(id)) as StoredSession | null
    const kept = this.#kept.get(id)
    const version = await super.replace(
      id,
      kept ? { ...next, entries: [...kept, ...next.entries] } : next,
      expected,
    )
    if (!version) return false
    if (JSON.parse(next.head).d && before) this.#kept.set(id, before.entries)
    else this.#kept.delete(id)
    return version
  }
}
