import type { SessionDriver } from '@holdfast/core'
import { type Decide, InjectedFault, intercept } from './intercept.ts'

/**
 * The write is done, and its answer is lost. `meanwhile` runs between the two: what others do before
 * core comes back to look.
 */
export function answerLost(
  driver: SessionDriver,
  decide: Decide,
  meanwhile?: () => Promise<void>,
): SessionDriver {
  return intercept(driver, {
    async write(send) {
      const lost = decide()
      const answer = await send()
      if (!lost) return answer
      await meanwhile?.()
      throw new InjectedFault('the answer was lost')
    },
  })
}
