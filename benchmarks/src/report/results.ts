import type { EngineResults } from '../measure.ts'
import type { RuntimeResult } from '../runtime.ts'
import type { Spread } from '../statistics.ts'

/** A backend that was not measured. */
export interface Missing {
  readonly name: string
  readonly reason: string
  /** It was there and broke; else it could not be had. */
  readonly failed: boolean
}

export interface Results {
  readonly quick: boolean
  /** Where the databases were. */
  readonly folder: string
  /** The version of Node.js. */
  readonly node: string
  readonly engines: readonly EngineResults[]
  readonly missing: readonly Missing[]
  /** Core over the in-memory driver, µs per append, by items. */
  readonly core: Readonly<Record<number, Spread>> | undefined
  readonly runtime: RuntimeResult | undefined
}
