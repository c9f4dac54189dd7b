import { wrong } from '../errors.ts'
import { isPromise } from '../memory/compression.ts'

/** What a user's function answered; `INVALID_ARGUMENT` for a promise, which would count as true. */
export function synchronous<T>(name: string, answer: T): T {
  if (!isPromise(answer)) return answer
  // What is refused may still reject: that must not end the process.
  Promise.resolve(answer).catch(() => {})
  throw wrong(name, 'synchronous', answer)
}
