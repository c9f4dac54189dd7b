import type { Service } from '@holdfast/services'
import type { Bundle } from '../processes/bundle.ts'
import type { Random } from '../random.ts'
import type { Place } from '../targets/place.ts'
import type { TargetName } from '../targets/targets.ts'

/** What faults are tried on, once. */
export interface Plan {
  readonly target: TargetName
  readonly place: Place
  /** The id of a session that nobody else writes to. */
  readonly session: string
  /** Decides whatever is left to chance. */
  readonly seed: number
  /** The programs that run in processes of their own. */
  readonly programs: Bundle
  /** The server, where there is one. */
  readonly service?: Service
}

/** The same under way. */
export interface Trial extends Omit<Plan, 'seed'> {
  readonly random: Random
}
