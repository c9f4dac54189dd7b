import assert from 'node:assert/strict'
import { grown, sessionOf } from './session-snapshots.ts'
import { measuredCase } from './session-store-harness.ts'

const KIB = 1_024

/** What a save and a load move. */
export const costCases = [
  measuredCase(
    'bytes-per-save',
    'a save writes what is new: its bytes do not grow with the session, by one writer or with a load before each',
    async (traffic, { store, other, newId }) => {
      for (const resumes of [false, true]) {
        let session = sessionOf(newId(), 1)
        let { revision } = await store.save(session)
        const written: number[] = []
        for (let turn = 0; turn < 120; turn++) {
          const process = turn % 2 && resumes ? other : store
          if (resumes) session = (await process.load(session.id)) ?? assert.fail()
          const before = traffic.written
          session = grown(session, revision, 2)
          ;({ revision } = await process.save(session))
          written.push(traffic.written - before)
        }
        const early = written[10] ?? 0
        const late = Math.max(...written.slice(-10))
        assert.ok(early > 0, 'nothing was written')
        assert.ok(
          late < early * 1.5 + 256,
          `${early} bytes at turn 10, ${late} at the end${resumes ? ', with a load before each save' : ''}`,
        )
      }
    },
  ),
  measuredCase(
    'memory-not-twice',
    'where the memory is what the events say, it is not stored a second time',
    async (traffic, { store, newId }) => {
      const events = Array.from({ length: 20 }, (_, index) => ({
        sequence: index + 1,
        type: 'USER_INPUT' as const,
        at: index,
        payload: { items: [{ type: 'note', text: 'x'.repeat(KIB) }] },
      }))
      const before = traffic.written
      await store.save(sessionOf(newId(), 0, { events }))
      const written = traffic.written - before
      const once = JSON.stringify(events).length
      assert.ok(written < once * 1.8, `${written} bytes for events of ${once}`)
    },
  ),
  measuredCase(
    'save-of-nothing-new',
    'saving a long session with nothing new writes a head alone, a memory of its own excepted',
    async (traffic, { store, newId }) => {
      const session = sessionOf(newId(), 300)
      const { revision } = await store.save(session)
      const before = traffic.written
      const metadata = { ...session.metadata, attributes: { renamed: true } }
      await store.save({ ...session, metadata, revision })
      const written = traffic.written - before
      assert.ok(written < 4 * KIB, `${written} bytes`)
    },
  ),
]
