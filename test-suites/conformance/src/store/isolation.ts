import assert from 'node:assert/strict'
import { failure } from '../memory/expect.ts'
import { lookAlikes } from '../memory/look-alikes.ts'
import { assertStored, grown, sessionOf } from './session-snapshots.ts'
import { storeCase } from './session-store-harness.ts'

/** A session that says whose it is. */
const own = (id: string, count = 1) =>
  sessionOf(id, count, { metadata: { createdAt: 1, updatedAt: 2, attributes: { of: id } } })

/** RULE session isolation. */
export const isolationCases = [
  storeCase(
    'look-alike-ids',
    'ids that differ in case, accents, blanks, normal form, separators, patterns or one emoji are different sessions',
    async ({ store, other, newId }) => {
      const ids = lookAlikes(newId())
      const revisions = new Map<string, string>()
      for (const id of ids) revisions.set(id, (await store.save(own(id))).revision)
      for (const id of ids) await assertStored([store, other], own(id))
      // Growing one grows no other.
      const [first, ...rest] = ids
      assert.ok(first !== undefined)
      const next = grown(own(first), revisions.get(first) ?? '', 2)
      await other.save(next)
      await assertStored([store], next)
      for (const id of rest) await assertStored([store], own(id))
    },
  ),
  storeCase(
    'control-characters',
    'ids with control characters are refused, or are sessions of their own: none reaches its neighbour',
    async ({ store, newId }) => {
      const base = newId()
      await store.save(own(base))
      for (const end of ['\n', '\r', '\t', '\u0000', '\u007f', '\u0085']) {
        const saving = store.save(own(`${base}${end}`, 2))
        const saved = await saving.then(
          () => true,
          () => false,
        )
        if (saved) await assertStored([store], own(`${base}${end}`, 2))
        else await failure(saving, 'INVALID_ARGUMENT')
        await assertStored([store], own(base))
      }
    },
  ),
]
