import type { StoredSession, Version } from '@holdfast/core'
import { broken, brokenConnection } from './broken-driver.ts'
import { PlainDriver, tick } from './plain-driver.ts'

export const brokenRaces = [
  broken(
    'replace checks, waits and writes',
    ['race-create', 'race-replace', 'race-counter'],
    class extends PlainDriver {
      override async replace(id: string, next: StoredSession, expected: Version | null) {
        const cell = this.find(id)
        if (!this.matches(cell, expected)) return false
        await tick()
        this.put(id, next, cell)
        return { revision: next.revision }
      }
    },
  ),
  broken(
    'creating checks, waits and writes',
    'race-create',
    class extends PlainDriver {
      override async replace(id: string, next: StoredSession, expected: Version | null) {
        if (expected) return super.replace(id, next, expected)
        if (this.find(id)) return false
        await tick()
        this.put(id, next, undefined)
        return { revision: next.revision }
      }
    },
  ),
  broken(
    'replace writes its entries one by one',
    ['torn-snapshot', 'race-torn-read'],
    class extends PlainDriver {
      override async replace(id: string, next: StoredSession, expected: Version | null) {
        const cell = this.find(id)
        if (!this.matches(cell, expected)) return false
        this.put(id, { ...next, entries: [] }, cell)
        for (const entry of next.entries) {
          await tick()
          this.find(id)?.entries.push(entry)
        }
        return { revision: next.revision }
      }
    },
  ),
  brokenConnection('opening fails while another process opens', 'connect-together', (open) => {
    let opening = false
    return async () => {
      if (opening) throw new Error('relation already exists')
      opening = true
      await tick()
      opening = false
      return { driver: open(), close: async () => {} }
    }
  }),
  brokenConnection('closing one connection closes the pool of all', 'connect-close-own', (open) => {
    let closed = false
    return async () => {
      const driver = open()
      const read = driver.read.bind(driver)
      driver.read = async (id, options) => {
        if (closed) throw new Error('the pool is closed')
        return read(id, options)
      }
      return {
        driver,
        close: async () => {
          closed = true
        },
      }
    }
  }),
  broken(
    'classify takes every error for an object with a code',
    'classify-foreign',
    class extends PlainDriver {
      classify(error: unknown) {
        return (error as { code: string }).code.startsWith('ECONN')
          ? ('transient' as const)
          : undefined
      }
    },
  ),
]
