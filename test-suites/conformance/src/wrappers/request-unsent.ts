import type { SessionDriver } from '@holdfast/core'
import { type Decide, InjectedFault, intercept } from './intercept.ts'

/** The request never leaves: nothing is read or written, and the call fails. */
export function requestUnsent(driver: SessionDriver, decide: Decide): SessionDriver {
  const send = async <T>(request: () => Promise<T>): Promise<T> => {
    if (decide()) throw new InjectedFault('the request was never sent')
    return request()
  }
  return intercept(driver, { read: send, write: send })
}
