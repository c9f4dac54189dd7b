/** A kind, its depth, and that many scopes: how the ids of core begin (`m1:tenant-7:`). */
const CORE_ID = /^[a-z]([0-9]):/

/**
 * The range of ids that share an index: what core puts in front of the user's id, or the whole of an id
 * that is not core's. No range begins with another one, so ranges in their order hold ids in their order.
 */
export function rangeOf(id: string): string {
  const depth = CORE_ID.exec(id)?.[1]
  if (depth === undefined) return id
  let end = 2
  for (let scopes = Number(depth); scopes > 0; scopes--) {
    end = id.indexOf(':', end + 1)
    if (end < 0) return id
  }
  return id.slice(0, end + 1)
}

/** Whether every id of a query lies in `range`. */
export const isWithin = (range: string, before: string | undefined): boolean =>
  rangeOf(`${range}x`) === range &&
  before !== undefined &&
  (before.startsWith(range) || before === `${range.slice(0, -1)};`)

/** The keys of one storage. `prefix` holds no brace, so no two prefixes share a key. */
export class Keys {
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** The hash of a session; its id in the braces alone decides on the slot. */
  session(id: string): string {
    return `${this.#prefix}:{${id}}`
  }

  /** The index of a range. Never the key of a session: those end with the brace. */
  ids(range: string): string {
    return `${this.#prefix}:{${range}}:ids`
  }

  /** The index of all ranges. */
  get ranges(): string {
    return `${this.#prefix}:ranges`
  }
}
