import { newerNode } from '@holdfast/services'
import { type TargetName, targetOf } from './targets.ts'

/** Why a target cannot be tried where `nodeFor` finds nothing. */
export const NO_NODE =
  'it needs Node 22.13 or later: run it in one, or name its program in HOLDFAST_NODE22'

/** The program of Node that a target is tried in: this one, or another that has what the target needs. */
export function nodeFor(target: TargetName): string | undefined {
  const { needs } = targetOf(target)
  return needs === undefined || process.getBuiltinModule(needs) ? process.execPath : newerNode()
}
