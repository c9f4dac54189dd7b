import { type AgentItem, type SessionDriver, userMessage } from '@holdfast/core'

/** A message of about `size` bytes as JSON. */
export const messageOf = (size: number, number: number): AgentItem =>
  userMessage(`${number} `.padEnd(Math.max(8, size - 80), 'lorem ipsum '))

export const messages = (count: number, size: number): AgentItem[] =>
  Array.from({ length: count }, (_, number) => messageOf(size, number))

/** What Holdfast hands to a driver for one append: the bare client writes the same bytes. */
export interface AppendBytes {
  readonly head: string
  readonly body: string
}

/** Lets a storage over `driver` append once and keeps what the driver got. */
export function recording(driver: SessionDriver): {
  readonly driver: SessionDriver
  readonly last: () => AppendBytes
} {
  let last: AppendBytes | undefined
  const { append } = driver
  if (!append) throw new Error('the benchmarks need a driver with append')
  return {
    driver: {
      read: (id, options) => driver.read(id, options),
      replace: (id, next, expected) => driver.replace(id, next, expected),
      list: (query) => driver.list(query),
      append(id, change, expected) {
        last = { head: change.head, body: change.entries[0] ?? '' }
        return append.call(driver, id, change, expected)
      },
    },
    last() {
      if (!last) throw new Error('nothing was appended')
      return last
    },
  }
}

const REVISION_LENGTH = 20

/** Revisions for the bare client, as long as Holdfast's. */
export function revisions(): () => string {
  let count = 0
  return () => (++count).toString(36).padStart(REVISION_LENGTH, '0')
}
