import { broken } from './broken-store.ts'
import { PlainStore } from './plain-store.ts'

/** A store that takes some ids for each other. */
const folding = (fold: (id: string) => string): typeof PlainStore =>
  class extends PlainStore {
    override keyOf(id: string) {
      return fold(id)
    }
  }

export const brokenIsolations = [
  broken(
    'ids are compared without case',
    'look-alike-ids',
    folding((id) => id.toLowerCase()),
  ),
  broken(
    'ids are trimmed',
    'look-alike-ids',
    folding((id) => id.trim()),
  ),
  broken(
    'ids are brought into one normal form',
    'look-alike-ids',
    folding((id) => id.normalize()),
  ),
  broken(
    'ids end at a line feed',
    'control-characters',
    class extends PlainStore {
      override checkId() {}
      override keyOf(id: string) {
        return id.split('\n')[0] ?? ''
      }
      override matches() {
        return true
      }
      override continues() {
        return true
      }
    },
  ),
]
