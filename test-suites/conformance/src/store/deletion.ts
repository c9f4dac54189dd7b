import assert from 'node:assert/strict'
import type { AgentSessionStore } from '@holdfast/core'
import { assertGone, assertRefused, assertStored, grown, sessionOf } from './session-snapshots.ts'
import { storeCase } from './session-store-harness.ts'

/** Whether one of the listings shows the id. */
async function isListed(store: AgentSessionStore, id: string): Promise<boolean> {
  if ((await store.listSessionIds()).includes(id)) return true
  for (let after: string | undefined; ; ) {
    const { sessions, next } = await store.listSessions({ after, limit: 1_000 })
    if (sessions.some((it) => it.id === id)) return true
    if (next === undefined) return false
    after = next
  }
}

export const deletionCases = [
  storeCase(
    'delete',
    'delete answers true once; the session is gone in each process, and listed nowhere',
    async ({ store, other, newId }) => {
      const [id, kept] = [newId(), newId()]
      await store.save(sessionOf(id, 3))
      await store.save(sessionOf(kept, 3))
      assert.equal(await isListed(other, id), true)
      assert.equal(await other.delete(id), true)
      await assertGone([store, other], id)
      for (const each of [store, other]) {
        assert.equal(await isListed(each, id), false, 'a deleted session is listed')
        assert.equal(await each.delete(id), false, 'deleting again answers false')
      }
      await assertStored([store, other], sessionOf(kept, 3))
    },
  ),
  storeCase(
    'delete-exact',
    'delete reaches exactly one id: none that begins with it, contains it, or matches it as a pattern',
    async ({ store, other, newId }) => {
      const base = newId()
      const ids = [
        base,
        `${base}0`,
        `0${base}`,
        `${base}:1`,
        `${base}/1`,
        `${base}%`,
        `${base}*`,
        `${base.slice(0, -1)}_`,
        `${base.slice(0, -1)}?`,
        base.toUpperCase(),
        `${base} `,
      ]
      for (const id of ids) await store.save(sessionOf(id, 2))
      const gone = new Set<string>()
      for (const id of [base, `${base}%`, `${base}*`, `${base.slice(0, -1)}_`]) {
        assert.equal(await store.delete(id), true)
        gone.add(id)
        await assertGone([store, other], id)
        for (const each of ids) {
          if (!gone.has(each)) await assertStored([other], sessionOf(each, 2))
        }
      }
    },
  ),
  storeCase(
    'recreate',
    'a deleted id may be created anew: nothing of the old session comes back',
    async ({ store, other, newId }) => {
      const id = newId()
      const metadata = { createdAt: 1, updatedAt: 2, attributes: { old: true } }
      const memory = { items: [], summary: 'old' }
      for (const process of [store, other]) {
        await store.save(sessionOf(id, 40, { metadata, memory }))
        assert.equal(await process.delete(id), true)
        const { revision } = await other.save(sessionOf(id, 2))
        await assertStored([store, other], sessionOf(id, 2))
        await store.save(grown(sessionOf(id, 2), revision))
        await assertStored([store, other], sessionOf(id, 3))
        assert.equal(await store.delete(id), true)
      }
    },
  ),
  storeCase(
    'late-save',
    'a save by a revision from before the deletion is CONFLICT: it brings nothing back, and touches no new session',
    async ({ store, other, newId }) => {
      const id = newId()
      const { revision } = await store.save(sessionOf(id, 2))
      const late = grown(sessionOf(id, 2), revision)
      await other.delete(id)
      await assertRefused([store, other], late, 'CONFLICT', undefined)
      const fresh = sessionOf(id, 2)
      await other.save(fresh)
      await assertRefused([store, other], late, 'CONFLICT', fresh)
    },
  ),
]
