import { show } from '../errors.ts'

/** What to show of anything that was thrown. Never throws itself: the message may be a getter. */
export function messageOf(error: unknown): string {
  try {
    const message = (error as { message?: unknown } | undefined)?.message
    if (typeof message === 'string') return message
    return typeof error === 'string' ? error : show(error)
  } catch {
    return 'an error without a message'
  }
}
