import { type AgentSessionSnapshot, HoldfastError } from '@holdfast/core'
import { broken } from './broken-store.ts'
import { PlainStore, type Row } from './plain-store.ts'

/** Writes, and looks at it afterwards. */
class Hasty extends PlainStore {
  refusedAfter(_snapshot: AgentSessionSnapshot): void {}
  override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
    const made = super.put(snapshot, before)
    this.refusedAfter(snapshot)
    return made
  }
}

export const brokenRefusals = [
  broken(
    'any text will do for an id',
    'refuses-ids',
    class extends PlainStore {
      override checkId() {}
    },
  ),
  broken(
    'the length of an id is counted in UTF-16 units, and its controls are let through',
    'refuses-ids',
    class extends PlainStore {
      override checkId(id: string) {
        if (id.trim() === '' || id.length > 255) super.checkId('')
      }
    },
  ),
  broken(
    'what JSON cannot carry is changed silently',
    'refuses-lossy-values',
    class extends PlainStore {
      override checkValues() {}
      override copy<T>(value: T): T {
        const seen = new Set<unknown>()
        const text = JSON.stringify(value, (_, it) => {
          if (typeof it === 'bigint') return String(it)
          if (typeof it === 'object' && it !== null && it !== value) {
            if (it['type'] === 'x' && seen.has(it)) return null
            seen.add(it)
          }
          return it
        })
        return JSON.parse(text) as T
      }
    },
  ),
  broken(
    'attributes of any size are kept',
    'refuses-large-attributes',
    class extends PlainStore {
      override checkSize() {}
    },
  ),
  broken(
    'the size of attributes is counted in UTF-16 units',
    'refuses-large-attributes',
    class extends PlainStore {
      override checkSize({ metadata }: AgentSessionSnapshot) {
        if (JSON.stringify(metadata.attributes).length <= 12 * 1_024) return
        throw new HoldfastError('TOO_LARGE', 'the attributes')
      }
    },
  ),
  broken(
    'attributes over the limit are refused behind the write',
    'refuses-large-attributes',
    class extends Hasty {
      override checkSize() {}
      override refusedAfter(snapshot: AgentSessionSnapshot) {
        super.checkSize(snapshot)
      }
    },
  ),
]
