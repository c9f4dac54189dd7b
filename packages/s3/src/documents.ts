import { HoldfastError } from '@holdfast/core'
import type { StoredHead } from '@holdfast/core/segments'

/** An object that is not what was written there. */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject'
}

/** What a listing needs of a head. */
export interface HeadLine {
  readonly revision: string
  readonly head: string
}

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
  const { guard } = Object(line)
  if (!isHeadLine(line) || typeof guard !== 'string') return undefined
  const { segments, skip, entries } = Object(content)
  if (!Array.isArray(segments) || !Array.isArray(entries) || typeof skip !== 'number') {
    return undefined
  }
  const { revision, head } = line
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
  if (Array.isArray(entries) && entries.every((entry) => typeof entry === 'string')) return entries
  throw new UnreadableObject(`The segment ${name} is no list of entries.`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isHeadLine = (line: unknown): line is HeadLine =>
  Object(line).v === LAYOUT &&
  typeof Object(line).revision === 'string' &&
  typeof Object(line).head === 'string'

const later = (id: string, layout: number) =>
  new HoldfastError(
    'UNSUPPORTED',
    `${JSON.stringify(id)} is stored in layout ${layout}; this version of Holdfast reads layout ${LAYOUT}. Upgrade it.`,
  )
