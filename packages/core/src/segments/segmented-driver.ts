import type { Append, ErrorKind, SessionDriver, StoredSession, Version } from '../driver.ts'
import { HoldfastError, invalid, show } from '../errors.ts'
import { randomName } from '../ids.ts'
import { HeadCache } from './head-cache.ts'
import { inParallel } from './in-parallel.ts'
import { dropped, type Layout, type Limits, type Planned, settled, sizeOf } from './layout.ts'
import type { SegmentRef, SegmentStore, StoredHead } from './segment-store.ts'
import { sweepPage } from './sweep.ts'

/** How the technique is set for a store. */
export interface SegmentOptions {
  /** How many bytes of entries a head may hold; every append writes them. Default 65,536. */
  readonly inlineBytes?: number
  /**
   * How large a segment may be, in bytes of UTF-8 with 16 for each entry, unless one entry alone is larger;
   * at least `inlineBytes`. Mind how the store encodes entries. Default 4 MiB.
   */
  readonly maxSegmentBytes?: number
  /** How many segments of one level are merged into one of the next. Default 8. */
  readonly fanOut?: number
  /** How many bytes of heads to keep in memory, so that appends need not read. Default 16 MiB. */
  readonly cacheBytes?: number
  /** Told of segments that a commit unreferenced and could not remove. They are swept later. Default: nobody. */
  readonly onLeftover?: (id: string, error: unknown) => void
}

/** How many segments of one session are read or written at once. */
const PARALLEL = 8
/** How often a read begins anew because the segments it looked for were replaced. */
const MAX_READS = 100
/**
 * A creation that takes longer does not commit: without a head, only the age of its segments (10 minutes at
 * least) keeps a sweep from removing them.
 */
const MAX_CREATION_MS = 120_000

/**
 * A driver over a store of small heads and immutable segments. The newest entries stand in the head, so that
 * an append is one write of bounded size; older ones in segments, written before the head names them. An
 * append that finds the head full also writes one segment, and now and then merges some; on the average an
 * entry is written once more per level.
 *
 * A head names fewer than `fanOut` segments of each level and at most four for each `maxSegmentBytes` of
 * the session, some 80 bytes each: at the defaults, 1 GiB of entries makes a head about 80 KiB longer.
 * `INVALID_ARGUMENT`: sizes that make no sense.
 */
export function segmentedDriver(
  store: SegmentStore,
  options: SegmentOptions = {},
): Required<Pick<SessionDriver, 'append' | 'sweep'>> & SessionDriver {
  const {
    inlineBytes = 65_536,
    maxSegmentBytes = 4_194_304,
    fanOut = 8,
    cacheBytes = 16_777_216,
    onLeftover = () => {},
  } = options
  if (!(inlineBytes >= 0))
    throw invalid(`inlineBytes must not be below 0, got ${show(inlineBytes)}.`)
  if (!(maxSegmentBytes >= inlineBytes && maxSegmentBytes > 0)) {
    throw invalid(`maxSegmentBytes must be at least inlineBytes, got ${show(maxSegmentBytes)}.`)
  }
  if (!(fanOut >= 2)) throw invalid(`fanOut must be at least 2, got ${show(fanOut)}.`)
  const limits = { inlineBytes, maxSegmentBytes, fanOut }
  const sessions = new SegmentedSessions(store, limits, new HeadCache(cacheBytes), onLeftover)
  return {
    read: (id, query) => sessions.read(id, query),
    replace: (id, next, expected) => sessions.replace(id, next, expected),
    append: (id, change, expected) => sessions.append(id, change, expected),
    ...(store.removeHead && { delete: (id, expected) => sessions.delete(id, expected) }),
    async list(query) {
      const rows = await store.listHeads(query)
      return rows.map(({ id, revision, head }) => ({ id, revision, head }))
    },
    sweep: (query) => sweepPage(store, query),
    classify: (error) => ownKind(error) ?? store.classify?.(error),
  }
}

/** A segment that a head names and the store does not have. */
class SegmentGone extends Error {}
/** Worth another try: nothing of this one is seen. */
class TryAgain extends Error {}

function ownKind(error: unknown): ErrorKind | undefined {
  if (error instanceof TryAgain) return 'transient'
  return error instanceof HoldfastError && error.code === 'CORRUPT' ? 'corrupt' : undefined
}

type Content = Pick<StoredHead, 'segments' | 'skip' | 'entries'>

/**
 * The tokens of heads stay in here: a sweep changes them under an unchanged revision, and core, to which
 * that is no change, would go on with the old one. A write based on the head from before a sweep is false;
 * core then reads, which brings the new token, and sends the same write again.
 */
class SegmentedSessions {
  readonly #store: SegmentStore
  readonly #limits: Limits
  readonly #cache: HeadCache
  readonly #onLeftover: (id: string, error: unknown) => void

  constructor(
    store: SegmentStore,
    limits: Limits,
    cache: HeadCache,
    onLeftover: (id: string, error: unknown) => void,
  ) {
    this.#store = store
    this.#limits = limits
    this.#cache = cache
    this.#onLeftover = onLeftover
  }

  async read(
    id: string,
    { unless, skip = 0 }: { readonly unless?: string; readonly skip?: number } = {},
  ): Promise<StoredSession | null | 'unchanged'> {
    let head = await this.#readHead(id)
    for (let tries = 1; head; tries++) {
      const { revision } = head
      if (revision === unless) return 'unchanged'
      try {
        return { revision, head: head.head, entries: await this.#entries(id, head, skip) }
      } catch (error) {
        if (!(error instanceof SegmentGone)) throw error
        head = await this.#changed(id, head, error)
        if (tries >= MAX_READS)
          throw new TryAgain(`${JSON.stringify(id)} changed during each read.`)
      }
    }
    return null
  }

  async replace(
    id: string,
    next: StoredSession,
    expected: Version | null,
  ): Promise<Version | false> {
    // The head is kept: it must not be an array of the caller's.
    const inline = [...next.entries]
    const before = expected && (await this.#current(id, expected))
    if (expected && !before) return false
    const layout = settled({ segments: [], inline }, this.#limits)
    return this.#commit(id, next, layout, before)
  }

  async append(id: string, change: Append, expected: Version): Promise<Version | false> {
    const added = [...change.entries]
    const before = await this.#current(id, expected)
    if (!before) return false
    const { segments, inline } = dropped(before, change.drop)
    const layout = settled({ segments, inline: [...inline, ...added] }, this.#limits)
    try {
      return await this.#commit(id, change, layout, before)
    } catch (error) {
      if (!(error instanceof SegmentGone)) throw error
      // It was merged or dropped by another writer, or it is lost.
      await this.#changed(id, before, error)
      return false
    }
  }

  async delete(id: string, expected: Version): Promise<boolean> {
    const before = await this.#readHead(id)
    if (before?.revision !== expected.revision) return false
    if (!(await this.#store.removeHead?.(id, before))) return false
    this.#cache.delete(id)
    await this.#discard(id, before.segments)
    return true
  }

  /** The stored head if it is at `expected`: from memory if it is there, which saves the request. */
  async #current(id: string, { revision }: Version): Promise<StoredHead | null> {
    const known = this.#cache.get(id)
    if (known?.revision === revision) return known
    const head = await this.#readHead(id)
    return head?.revision === revision ? head : null
  }

  async #readHead(id: string): Promise<StoredHead | null> {
    const known = this.#cache.get(id)
    const answer = await this.#store.readHead(id, known)
    if (answer === 'unchanged' && known) return known
    if (answer === 'unchanged' || !answer) {
      this.#cache.delete(id)
      return null
    }
    this.#cache.set(id, answer)
    return answer
  }

  /** The state that took the place of `head`; where none did, the missing segment is lost. */
  async #changed(id: string, head: StoredHead, gone: SegmentGone): Promise<StoredHead | null> {
    const now = await this.#readHead(id)
    if (now?.guard !== head.guard) return now
    throw new HoldfastError(
      'CORRUPT',
      `${JSON.stringify(id)} has lost ${gone.message}; restore this session from a backup or delete it.`,
      { cause: gone },
    )
  }

  async #entries(id: string, head: StoredHead, skip: number): Promise<string[]> {
    let rest = skip + head.skip
    const wanted: { ref: SegmentRef; from: number }[] = []
    for (const ref of head.segments) {
      if (rest < ref.count) wanted.push({ ref, from: rest })
      rest = Math.max(0, rest - ref.count)
    }
    const parts = await inParallel(wanted, PARALLEL, async ({ ref, from }) =>
      (await this.#segment(id, ref)).slice(from),
    )
    return [...parts, head.entries.slice(rest)].flat()
  }

  async #segment(id: string, { name, count }: SegmentRef): Promise<readonly string[]> {
    const entries = await this.#store.readSegment(id, name)
    if (entries?.length === count) return entries
    throw new SegmentGone(`its segment ${name} of ${count} entries`)
  }

  async #commit(
    id: string,
    { revision, head }: Pick<StoredHead, 'revision' | 'head'>,
    layout: Layout,
    before: StoredHead | null,
  ): Promise<Version | false> {
    const began = Date.now()
    const content = await this.#write(id, layout)
    if (!before && content.segments.length > 0 && Date.now() - began > MAX_CREATION_MS) {
      throw new TryAgain('It took too long to write the segments.')
    }
    const next: StoredHead = { revision, guard: randomName(), head, ...content }
    const version = await this.#store.writeHead(id, next, before)
    if (!version) {
      // Whatever was thought to be stored is not. What was just written may be named all the same (a client
      // that sends again by itself answers false for its own success), so it stays until it is swept.
      this.#cache.delete(id)
      return false
    }
    this.#cache.set(id, { ...next, token: version.token })
    if (before) await this.#discard(id, unreferenced(before, next))
    return { revision }
  }

  /** Writes the segments of `layout` that are not stored yet. */
  async #write(id: string, { segments, inline }: Layout): Promise<Content> {
    const refs = await inParallel(segments, PARALLEL, async (planned) => {
      const stored = storedPart(planned)
      return stored ? { ...stored.ref, level: planned.level } : this.#writeSegment(id, planned)
    })
    const skip = (segments[0] && storedPart(segments[0])?.skip) ?? 0
    return { segments: refs, skip, entries: inline }
  }

  async #writeSegment(id: string, { parts, level }: Planned): Promise<SegmentRef> {
    const read = await inParallel(parts, PARALLEL, async (part) =>
      'ref' in part ? (await this.#segment(id, part.ref)).slice(part.skip) : part.entries,
    )
    const entries = read.flat()
    const name = randomName()
    await this.#store.writeSegment(id, name, entries)
    return { name, count: entries.length, bytes: sizeOf(entries), level }
  }

  /** Only what this commit unreferenced; a failure leaves it to the sweep. */
  async #discard(id: string, refs: readonly SegmentRef[]): Promise<void> {
    if (refs.length === 0) return
    try {
      await this.#store.removeSegments(
        id,
        refs.map(({ name }) => name),
      )
    } catch (error) {
      this.#onLeftover(id, error)
    }
  }
}

function unreferenced(before: StoredHead, next: StoredHead): SegmentRef[] {
  const kept = new Set(next.segments.map(({ name }) => name))
  return before.segments.filter(({ name }) => !kept.has(name))
}

function storedPart({ parts }: Planned) {
  const [first] = parts
  return parts.length === 1 && first && 'ref' in first ? first : undefined
}
