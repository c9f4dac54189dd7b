import type { AgentSessionSnapshot } from '@holdfast/core'
import { broken } from './broken-store.ts'
import { PlainStore, type Row } from './plain-store.ts'

export const brokenSequences = [
  broken(
    'the seventh save of a process is acknowledged and forgotten',
    'random-calls',
    class extends PlainStore {
      #saves = 0
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        return ++this.#saves === 7 ? { revision: this.newRevision() } : super.put(snapshot, before)
      }
    },
  ),
]
