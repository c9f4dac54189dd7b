import assert from 'node:assert/strict'
import type { AgentSessionSnapshot } from '@holdfast/core'
import { assertStored, grown, sessionOf } from './session-snapshots.ts'
import { storeCase } from './session-store-harness.ts'

const full = (id: string): AgentSessionSnapshot =>
  sessionOf(id, 3, {
    metadata: { createdAt: 1, updatedAt: 2, attributes: { deep: { list: [1, 2] } } },
    memory: { items: [{ type: 'note', text: 'kept', parts: [{ text: 'kept' }] }], summary: 'S' },
  })

/** Changes everything that can be changed in a snapshot and in what it holds. */
function deface(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const record = value as Record<string, unknown>
  for (const [key, child] of Object.entries(record)) {
    if (typeof child === 'object') deface(child)
    else record[key] = 'defaced'
  }
  if (Array.isArray(value)) value.push('defaced')
  else record['defaced'] = true
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(freeze)
    Object.freeze(value)
  }
  return value
}

/** RULE no aliasing: snapshots are detached both ways. */
export const detachmentCases = [
  storeCase(
    'input-copied',
    'what was saved is a copy: changing the snapshot behind the call changes nothing that is stored',
    async ({ store, other, newId }) => {
      const id = newId()
      const given = full(id)
      const saving = store.save(given)
      deface(given)
      const { revision } = await saving
      await assertStored([store, other], full(id))
      const next = grown(full(id), revision)
      await store.save(next)
      deface(next)
      await assertStored([store, other], grown(full(id), revision))
    },
  ),
  storeCase(
    'output-detached',
    'what load answers is the own copy of whoever asked: changing it changes nothing that is stored',
    async ({ store, other, newId }) => {
      const id = newId()
      await store.save(full(id))
      for (const each of [store, other, store]) {
        const [one, two] = [await each.load(id), await each.load(id)]
        assert.notEqual(one, two, 'two calls of load answer one object')
        deface(one)
        assert.notDeepEqual(one, two, 'two loads share what they hold')
        await assertStored([store, other], full(id))
      }
    },
  ),
  storeCase(
    'listing-detached',
    'what a listing answers is a copy, too',
    async ({ store, newId }) => {
      const id = newId()
      await store.save(full(id))
      for (let round = 0; round < 2; round++) {
        for (let after: string | undefined; ; ) {
          const { sessions, next } = await store.listSessions({ after, limit: 1_000 })
          const row = sessions.find((it) => it.id === id)
          if (row) {
            assert.deepStrictEqual(row.metadata, full(id).metadata)
            deface(row)
          }
          if (next === undefined) break
          after = next
        }
      }
      await assertStored([store], full(id))
    },
  ),
  storeCase(
    'input-untouched',
    'a snapshot is only read: one that is frozen throughout can be saved, and no save changes one',
    async ({ store, other, newId }) => {
      const id = newId()
      const given = freeze(full(id))
      const { revision } = await store.save(given)
      await assertStored([store, other], full(id))
      const open = grown(full(id), revision)
      const before = JSON.stringify(open)
      await store.save(open)
      assert.equal(JSON.stringify(open), before)
      const found = await other.load(id)
      assert.ok(found && !Object.isFrozen(found.events), 'load answers frozen events')
    },
  ),
]
