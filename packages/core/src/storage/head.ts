import { HoldfastError } from '../errors.ts'
import { isRecord, parseStored } from '../json.ts'
import type { Chain } from './chain.ts'

/** How many writers a head remembers: with one more between an attempt and its re-read, the verdict is `unknown`. */
const MAX_WRITERS = 64

/** The small text that core keeps beside the entries of a cell. */
export interface Head {
  /** Version of the stored format. */
  readonly v: 1
  /** How many commits the cell has seen. */
  readonly n: number
  /** The writers that committed last, the latest first, each followed by the number of its last operation. */
  readonly w: readonly (string | number)[]
  /** The chain value: see `chain.ts`. */
  readonly c: Chain
  /** How many entries the cell has; a head without it is read without the check. */
  readonly e?: number
  /** The revision that began this life of the cell. */
  readonly l: string
  /** Epoch ms of the last commit. For people and for purging; order never depends on it. */
  readonly t: number
  /** 1: a tombstone. */
  readonly d?: 1
  /** What the cell's owner wants to be listed by, as `sealMeta` made it. */
  readonly m?: unknown
}

/** What one attempt leaves in the head to be recognised by. */
export interface Operation {
  readonly writer: string
  /** Grows with every operation of the writer and never restarts. */
  readonly number: number
}

export function decodeHead(text: string, id: string): Head {
  let head: unknown
  try {
    head = parseStored(text)
  } catch (cause) {
    throw corruptHead(id, cause)
  }
  if (!isRecord(head)) throw corruptHead(id)
  const { v, n, w, c, e = 0, l, t } = head
  if (typeof v === 'number' && v > 1) {
    throw new HoldfastError(
      'UNSUPPORTED',
      `${JSON.stringify(id)} is stored in format ${v}; this version of Holdfast reads format 1. Upgrade it.`,
    )
  }
  if (
    v !== 1 ||
    !Number.isSafeInteger(n) ||
    !Array.isArray(w) ||
    !Array.isArray(c) ||
    !Number.isSafeInteger(e) ||
    typeof l !== 'string' ||
    typeof t !== 'number'
  ) {
    throw corruptHead(id)
  }
  return head as unknown as Head
}

export const corruptHead = (id: string, cause?: unknown) =>
  new HoldfastError(
    'CORRUPT',
    `The head of ${JSON.stringify(id)} cannot be read; restore this session from a backup or delete it.`,
    { cause },
  )

/** For entries that were lost or came in from elsewhere: a number cannot tell which ones. */
export const wrongCount = (id: string, found: number, count: number) =>
  new HoldfastError(
    'CORRUPT',
    `${JSON.stringify(id)} holds ${found} entries instead of ${count}; restore this session from a backup or delete it.`,
  )

/** Head `previous` after one more commit, by `operation`. */
export function nextHead(
  previous: Head | undefined,
  { writer, number }: Operation,
  rest: Pick<Head, 'c' | 'e' | 'l' | 'd' | 'm'>,
): Head {
  const w: (string | number)[] = [writer, number]
  const old = previous?.w ?? []
  for (let at = 0; at < old.length && w.length < 2 * MAX_WRITERS; at += 2) {
    const [name, last] = [old[at], old[at + 1]]
    if (name !== undefined && last !== undefined && name !== writer) w.push(name, last)
  }
  return { v: 1, n: (previous?.n ?? 0) + 1, w, t: Date.now(), ...rest }
}

/**
 * Whether `operation` is among the commits that led to `head`. `base`: the head of the state that its
 * last attempt was based on.
 */
export function recognise(
  head: Head | undefined,
  { writer, number }: Operation,
  base: Head | undefined,
): 'committed' | 'not-committed' | 'unknown' {
  if (!head) return 'not-committed'
  const at = head.w.indexOf(writer)
  if (at >= 0) return Number(head.w[at + 1]) >= number ? 'committed' : 'not-committed'
  // A list with room has never pushed anybody out: whoever is not in it did not commit.
  if (head.w.length < 2 * MAX_WRITERS) return 'not-committed'
  // Nor has a full one, over fewer commits than it remembers writers.
  return head.n - (base?.n ?? 0) < MAX_WRITERS ? 'not-committed' : 'unknown'
}
