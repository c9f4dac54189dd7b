import type { WriteOutcome } from '@holdfast/core'
import type { State } from './state.ts'

/** One call of a writer, and what it may do to a memory: the model that commits are compared with. */
export interface Plan {
  readonly kind: string
  /** The JSON texts of the items that it brings, in order. */
  readonly brings: readonly string[]
  /** The states that its commit may turn `old` into. */
  outcomes(old: State): readonly State[]
  /** True where the call may be acknowledged without a commit, because `state` already is what it asks for. */
  satisfiedBy?(state: State): boolean
}

/** A call under way, or ended with an unknown outcome: its request may land yet. */
export class Operation {
  readonly plan: Plan
  readonly storage: string
  readonly cell: string
  readonly writer: number
  /** The number of the cell's state when it was called. */
  readonly start: number
  /** How many commits were found to be its own: more than one is a violation. */
  commits = 0
  status: 'open' | WriteOutcome = 'open'

  constructor(plan: Plan, at: { storage: string; cell: string; writer: number; start: number }) {
    this.plan = plan
    this.storage = at.storage
    this.cell = at.cell
    this.writer = at.writer
    this.start = at.start
  }

  mayCommit(): boolean {
    return this.commits === 0 && (this.status === 'open' || this.status === 'unknown')
  }
}

/** One answer of an asynchronous compressor, which a later commit may install. */
export interface Compression {
  readonly storage: string
  readonly seen: State
  readonly result: State
}
