import type { SessionDriver } from '@holdfast/core'
import { type Decide, intercept } from './intercept.ts'

/** The write is done, and the client says `false`: it sent the request again by itself and met its own commit. */
export function answeredFalse(
  driver: SessionDriver,
  decide: Decide,
  meanwhile?: () => Promise<void>,
): SessionDriver {
  return intercept(driver, {
    async write(send) {
      const lies = decide()
      const answer = await send()
      if (!lies) return answer
      await meanwhile?.()
      return false
    },
  })
}
