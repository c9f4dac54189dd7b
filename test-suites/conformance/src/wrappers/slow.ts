import type { SessionDriver } from '@holdfast/core'
import { intercept } from './intercept.ts'
import type { Random } from './random.ts'

/** Requests and answers each take up to `maxMs` (default 3), so that they overtake each other. */
export function slow(driver: SessionDriver, random: Random, maxMs = 3): SessionDriver {
  const pause = () => new Promise((done) => setTimeout(done, random.next() * maxMs))
  const send = async <T>(request: () => Promise<T>): Promise<T> => {
    await pause()
    const answer = await request()
    await pause()
    return answer
  }
  return intercept(driver, { read: send, write: send })
}
