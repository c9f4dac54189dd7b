import { HoldfastError } from '@holdfast/core'
import { isEntries, isHeadContent, type StoredHead } from '@holdfast/core/segments'

/** An object that is not what was written there. */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject'
}

/** The first line of a head: what a listing needs of it. */
export type HeadLine = Pick<StoredHead, 'revision' | 'guard' | 'head'>

/** The longest first line: a head of 16 KiB whose every character is escaped, and the names around it. */
export const FIRST_LINE_BYTES = 36_864

/** The layout that is written, and the only one that is read. */
const LAYOUT = 1

/**
 * A head as an object: JSON in two lines. The first is all that a listing reads, so that a page costs the
 * same whatever the sessions weigh.
 */
export function encodeHead(id: string, { revision, guard, head, ...content }: StoredHead): string {
  const { segments, skip, entries } = content
  return `${JSON.stringify({ v: LAYOUT, id, revision, guard, head })}\n${JSON.stringify({ segments, skip, entries })}\n`
}

/** Undefined where it cannot be read. `UNSUPPORTED`: a later version of Holdfast wrote it. */
export function decodeHead(text: string, token: string, id: string): StoredHead | undefined {
  const [first = '', second = ''] = text.split('\n')
  const line = parse(first)
  const { v } = Object(line)
  if (typeof v === 'number' && v > LAYOUT) throw later(id, v)
  const content = parse(second)
  if (!isHeadLine(line) || !isHeadContent(content)) return undefined
  const { revision, guard, head } = line
  const { segments, skip, entries } = content
  return { revision, guard, head, segments, skip, entries, token }
}

/** The first line alone; undefined where it cannot be read. */
export function decodeFirstLine(text: string): HeadLine | undefined {
  const line = parse(text.slice(0, Math.max(0, text.indexOf('\n'))))
  return isHeadLine(line) ? line : undefined
}

export const encodeSegment = (entries: readonly string[]): string => JSON.stringify(entries)

export function decodeSegment(text: string, name: string): readonly string[] {
  const entries = parse(text)
  if (isEntries(entries)) return entries
  throw new UnreadableObject(`The segment ${name} is no list of entries.`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isHeadLine(line: unknown): line is HeadLine {
  const { v, revision, guard, head } = Object(line)
  return v === LAYOUT && [revision, guard, head].every((text) => typeof text === 'string')
}

const later = (id: string, layout: number) =>
  new HoldfastError(
    'UNSUPPORTED',
    `${JSON.stringify(id)} is stored in layout ${layout}; this version of Holdfast reads layout ${LAYOUT}. Upgrade it.`,
  )
