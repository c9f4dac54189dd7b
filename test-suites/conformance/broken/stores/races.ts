import type { AgentSessionSnapshot } from '@holdfast/core'
import { broken } from './broken-store.ts'
import { PlainStore, type Row, tick } from './plain-store.ts'

/** Checks, waits and writes; `waits` says for which saves. */
class Waiting extends PlainStore {
  waits(_snapshot: AgentSessionSnapshot): boolean {
    return true
  }
  override async save(snapshot: AgentSessionSnapshot) {
    const given = this.copy(snapshot)
    const row = this.find(given.id)
    if (!this.waits(given)) return super.save(given)
    await super.save.call({ ...this.steps(), put: () => ({ revision: '' }) } as never, given)
    await tick()
    return this.put(given, row)
  }
  /** The steps of a save as functions of this store. */
  steps() {
    return {
      check: (it: AgentSessionSnapshot) => this.check(it),
      find: (id: string) => this.find(id),
      matches: (row: Row | undefined, it: AgentSessionSnapshot) => this.matches(row, it),
      continues: (...lists: Parameters<PlainStore['continues']>) => this.continues(...lists),
    }
  }
}

export const brokenRaces = [
  broken(
    'creating checks, waits and writes',
    'race-create',
    class extends Waiting {
      override waits({ revision }: AgentSessionSnapshot) {
        return revision === undefined
      }
    },
  ),
  broken(
    'saving checks, waits and writes',
    'race-save',
    class extends Waiting {
      override waits({ revision }: AgentSessionSnapshot) {
        return revision !== undefined
      }
    },
  ),
  broken('two savers of the same moment both succeed', 'race-count', Waiting),
  broken(
    'a save writes memory and events one after the other',
    'race-read',
    class extends PlainStore {
      override async save(snapshot: AgentSessionSnapshot) {
        const given = this.copy(snapshot)
        const before = this.find(given.id)?.snapshot
        const made = await super.save(given)
        const row = this.find(given.id)
        if (!row || !before) return made
        row.snapshot = { ...row.snapshot, memory: before.memory }
        await tick()
        row.snapshot = this.keep(given)
        return made
      }
    },
  ),
  broken(
    'a save that was checked before the deletion lands behind it',
    'race-delete',
    class extends Waiting {
      override async save(snapshot: AgentSessionSnapshot) {
        if (snapshot.revision === undefined) return super.save(snapshot)
        const later = new Promise((done) => setTimeout(done, 5))
        const [made] = await Promise.all([super.save(snapshot), later])
        return made
      }
    },
  ),
]
