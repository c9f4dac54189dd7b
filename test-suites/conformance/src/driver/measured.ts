import type { SessionDriver } from '@holdfast/core'
import type { Traffic } from '../store/index.ts'

const bytes = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** `driver`, with the heads and entries that pass added up in `traffic`. */
export function measured(driver: SessionDriver, traffic: Traffic): SessionDriver {
  const { append, delete: remove, classify } = driver
  return {
    async read(id, options) {
      const found = await driver.read(id, options)
      if (found && found !== 'unchanged') traffic.read += bytes([found.head, ...found.entries])
      return found
    },
    async list(query) {
      const rows = await driver.list(query)
      traffic.read += bytes(rows.map(({ head }) => head))
      return rows
    },
    replace(id, next, expected) {
      traffic.written += bytes([next.head, ...next.entries])
      return driver.replace(id, next, expected)
    },
    ...(append && {
      append(id, change, expected) {
        traffic.written += bytes([change.head, ...change.entries])
        return append.call(driver, id, change, expected)
      },
    }),
    ...(remove && { delete: (id, expected) => remove.call(driver, id, expected) }),
    ...(classify && { classify: (error) => classify.call(driver, error) }),
  }
}
