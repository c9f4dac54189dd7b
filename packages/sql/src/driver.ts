import type { SessionDriver } from '@holdfast/core'
import type { Dialect } from './dialects/dialect.ts'

/** The session driver over any SQL dialect. The revision in the head row is all that guards a write. */
export function sessionDriver(dialect: Dialect): SessionDriver {
  return {
    async read(id, { unless, skip = 0 } = {}) {
      const cell = await dialect.read(id, unless ?? null, skip)
      if (!cell) return null
      const { revision, head, entries } = cell
      return head === null ? 'unchanged' : { revision, head, entries }
    },
    async replace(id, next, expected) {
      const done = expected
        ? await dialect.replace(id, next, expected.revision)
        : await dialect.create(id, next)
      return done && { revision: next.revision }
    },
    append: (id, change, expected) => dialect.append(id, change, expected),
    delete: (id, expected) => dialect.remove(id, expected.revision),
    list: ({ after = '', before, limit }) => dialect.list(after, before, limit),
    classify: dialect.classify,
  }
}
