import { invalid, show } from '../errors.ts'
import { checkId, utf8Length } from '../ids.ts'

const MAX_DEPTH = 8
const MAX_BYTES = 400

/** What a cell holds: a memory, or a session's record. */
export type CellKind = 'm' | 's'

const escapeScope = (scope: string) => scope.replaceAll('~', '~0').replaceAll(':', '~1')

/** The scope below `path` that is called `name`. */
export function childScope(path: readonly string[], name: unknown): readonly string[] {
  const scope = checkId(name, 'A scope')
  if (path.length >= MAX_DEPTH) {
    throw invalid(`Scope ${show(scope)} is nested deeper than ${MAX_DEPTH} levels.`)
  }
  return [...path, scope]
}

/** How every id of one kind, depth and scope begins: `m2:tenant:agent:`. Always ends with a colon. */
const prefix = (kind: CellKind, depth: number, path: readonly string[]) =>
  [`${kind}${depth}`, ...path.map(escapeScope), ''].join(':')

/** The driver's id of a user's id: `m1:tenant-7:id`. No two pairs of scope and id share one. */
export function cellId(kind: CellKind, path: readonly string[], id: unknown, what: string): string {
  const full = prefix(kind, path.length, path) + checkId(id, what)
  if (utf8Length(full) > MAX_BYTES) {
    throw invalid(
      `${what} ${show(id)} and its scopes are longer than ${MAX_BYTES} bytes of UTF-8; shorten them.`,
    )
  }
  return full
}

/** The id of the session record beside the memory called `id`; undefined where that names no memory. */
export const recordBeside = (id: string): string | undefined =>
  id.startsWith('m') ? `s${id.slice(1)}` : undefined

/** A part of the ids in their order: what lies strictly between `after` and `before`. */
export interface IdRange {
  readonly after: string
  readonly before: string
}

const below = (start: string): IdRange => ({
  after: start,
  // The character behind the colon: the end of everything that begins with `start`.
  before: `${start.slice(0, -1)};`,
})

/** The ids of a scope itself. */
export const ownRange = (kind: CellKind, path: readonly string[]): IdRange =>
  below(prefix(kind, path.length, path))

/** The ids of every kind in a scope and in every scope nested in it. */
export function nestedRanges(path: readonly string[]): IdRange[] {
  const depths = Array.from(
    { length: MAX_DEPTH - path.length + 1 },
    (_, index) => path.length + index,
  )
  return depths.flatMap((depth) => [
    below(prefix('m', depth, path)),
    below(prefix('s', depth, path)),
  ])
}
