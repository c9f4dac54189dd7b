import type { SessionDriver } from '@holdfast/core'

/** The texts that core hands to `driver`, as they pass by. */
export function observe(
  driver: SessionDriver,
  see: (head: string, entries: readonly string[]) => void,
): SessionDriver {
  const { append, delete: remove, classify } = driver
  return {
    read: (id, options) => driver.read(id, options),
    list: (query) => driver.list(query),
    replace: (id, next, expected) => {
      see(next.head, next.entries)
      return driver.replace(id, next, expected)
    },
    ...(append && {
      append: (id, change, expected) => {
        see(change.head, change.entries)
        return append.call(driver, id, change, expected)
      },
    }),
    ...(remove && { delete: (id, expected) => remove.call(driver, id, expected) }),
    ...(classify && { classify: (error) => classify.call(driver, error) }),
  }
}
