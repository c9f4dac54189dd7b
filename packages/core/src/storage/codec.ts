import { HoldfastError, invalid, kindOf } from '../errors.ts'
import { utf8Length } from '../ids.ts'
import { parseStored } from '../json.ts'
import { type Backend, storageError } from './backend.ts'
import { checkRecord } from './check-record.ts'
import { corruptHead, type Head } from './head.ts'

/**
 * A record is one JSON text of core: an item (an object), or something else that core stores (an array).
 * An entry is what a driver gets: a record, a part of a long one, or either of them encrypted.
 */
export interface Records {
  readonly texts: string[]
  /** How many entries each record takes. */
  readonly sizes: number[]
}

/**
 * Longer records are stored in parts. In UTF-16 units: at 3 bytes of UTF-8 each, encrypted and as base64,
 * a part stays under the 1 MiB that a driver must take.
 */
const MAX_UNITS = 250_000
const MAX_BYTES = 1_048_576

/** What remains of the 16 KiB of a head beside 64 writers, whatever their names and numbers. */
const MAX_META_BYTES = 14_000

function split(record: string): string[] {
  if (record.length <= MAX_UNITS) return [record]
  const count = Math.ceil(record.length / MAX_UNITS)
  return Array.from({ length: count }, (_, index) =>
    // A surrogate pair that a cut parts is escaped by JSON, and whole again when the parts are joined.
    JSON.stringify([
      'part',
      index,
      count,
      record.slice(index * MAX_UNITS, (index + 1) * MAX_UNITS),
    ]),
  )
}

/** The entries of `texts`, still to be sealed, and how many each takes. */
export function splitRecords(texts: readonly string[]): {
  readonly entries: readonly string[]
  readonly sizes: readonly number[]
} {
  if (texts.every(({ length }) => length <= MAX_UNITS)) {
    return { entries: texts, sizes: texts.map(() => 1) }
  }
  const parts = texts.map(split)
  return { entries: parts.flat(), sizes: parts.map(({ length }) => length) }
}

/** `entries` as they are stored in cell `id`. */
export async function sealEntries(
  entries: readonly string[],
  id: string,
  backend: Backend,
): Promise<string[]> {
  const sealed: string[] = []
  for (const entry of entries) sealed.push(await seal(entry, id, backend))
  return sealed
}

/** The records of `entries`, of which the first is entry number `start` of cell `id`. */
export async function decodeEntries(
  entries: readonly string[],
  id: string,
  start: number,
  backend: Backend,
): Promise<Records> {
  const records: Records = { texts: [], sizes: [] }
  let parts: string[] = []
  for (const [index, entry] of entries.entries()) {
    try {
      const text = backend.encryption ? await open(entry, id, backend) : entry
      const value = parseStored(text)
      if (Array.isArray(value) && value[0] === 'part') {
        parts.push(checkPart(value, parts.length))
        if (parts.length < value[2]) continue
        const whole = parts.join('')
        checkRecord(parseStored(whole))
        records.texts.push(whole)
      } else {
        if (parts.length > 0) throw new Error('a part is missing')
        checkRecord(value)
        records.texts.push(text)
      }
      records.sizes.push(Math.max(parts.length, 1))
      parts = []
    } catch (cause) {
      // A key service that is down says nothing about the entry.
      if (cause instanceof HoldfastError && cause.code !== 'CORRUPT') throw cause
      throw corrupt(id, start + index, cause)
    }
  }
  if (parts.length > 0) throw corrupt(id, start + entries.length, new Error('a part is missing'))
  return records
}

/** The JSON text `meta` as the head of cell `id` carries it: a JSON value. `TOO_LARGE` where it does not fit. */
export async function sealMeta(meta: string, id: string, backend: Backend): Promise<unknown> {
  const text = backend.encryption ? await seal(meta, id, backend) : meta
  if (utf8Length(text) <= MAX_META_BYTES) return JSON.parse(text)
  throw new HoldfastError(
    'TOO_LARGE',
    `What the head of ${JSON.stringify(id)} is to hold takes more than ${MAX_META_BYTES} bytes; make its attributes smaller.`,
  )
}

/** The text that `sealMeta` was given; `undefined` if there was none. */
export async function openMeta(
  { m }: Head,
  id: string,
  backend: Backend,
): Promise<string | undefined> {
  if (m === undefined) return undefined
  const text = JSON.stringify(m)
  if (!backend.encryption) return text
  try {
    return await open(text, id, backend)
  } catch (cause) {
    if (cause instanceof HoldfastError && cause.code !== 'CORRUPT') throw cause
    throw corruptHead(id, cause)
  }
}

async function seal(text: string, id: string, backend: Backend): Promise<string> {
  const answer: unknown = await backend.call(() => backend.encryption?.encrypt(text, id))
  const entry = JSON.stringify(['encrypted', answer])
  if (typeof answer !== 'string' || utf8Length(entry) > MAX_BYTES) {
    throw invalid(
      `encrypt must answer text of at most 4/3 of the UTF-8 bytes it was given, got ${kindOf(answer)}.`,
    )
  }
  return entry
}

async function open(entry: string, id: string, backend: Backend): Promise<string> {
  const value = parseStored(entry)
  if (!Array.isArray(value) || value[0] !== 'encrypted' || typeof value[1] !== 'string') {
    throw new Error('it is not encrypted, and this storage was opened with encryption')
  }
  try {
    return String(await backend.call(() => backend.encryption?.decrypt(value[1], id)))
  } catch (cause) {
    throw storageError(undefined, id, cause)
  }
}

function checkPart(value: unknown[], expected: number): string {
  const [, index, , text] = value
  if (index !== expected || typeof text !== 'string') throw new Error('a part is out of order')
  return text
}

/** Names entry number `entry` of cell `id`. */
export const corrupt = (id: string, entry: number, cause: unknown) =>
  new HoldfastError(
    'CORRUPT',
    `Entry ${entry} of ${JSON.stringify(id)} cannot be read; restore this session from a backup or delete it.`,
    { cause },
  )
