import type { Service } from '@holdfast/services'
import { NO_NODE, nodeFor } from '../targets/runtime.ts'
import { type TargetName, targetOf } from '../targets/targets.ts'
import type { Letter } from './trials.ts'

/** `true`, or why a trial does not concern a backend. */
export function applies(
  letter: Letter,
  target: TargetName,
  service: Service | undefined,
): true | string {
  if (nodeFor(target) === undefined) return NO_NODE
  if ('ab'.includes(letter) && !targetOf(target).shared) return 'one process at a time opens it'
  if ('cd'.includes(letter) && !service) return 'it has no server'
  if (letter === 'd' && !service?.owned) return 'its server was only found'
  return true
}
