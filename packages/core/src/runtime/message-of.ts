import { show } from '../errors.ts'
import { isRecord } from '../json.ts'

/** What to show of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (isRecord(error) && typeof error['message'] === 'string') return error['message']
  return typeof error === 'string' ? error : show(error)
}
