import assert from 'node:assert/strict'
import type { SessionDriver, StorageScope } from '@holdfast/core'
import { freshId } from '../../fresh-id.ts'
import { assertGone, assertStored, grown, sessionOf } from '../../store/session-snapshots.ts'
import { answeredFalse, answerLost, LateRequests, next, requestLate } from '../../wrappers/index.ts'
import { observe } from './observe.ts'
import { spoil } from './spoil.ts'
import { add, assertTexts, failure, type StorageCase } from './storage-harness.ts'

const MIB = 1_048_576

/** What core's session store makes of a driver's promises. */
export const sessionCases: readonly StorageCase[] = [
  {
    id: 'sessions-beside-memories',
    name: 'a session and a memory of one id are stored apart: neither is seen, listed or deleted as the other',
    async run(harness) {
      const id = freshId()
      const [scope, again] = [harness.open(), harness.reopen()]
      await add(scope.memory(id), 'of the memory')
      await assertGone([scope.sessions(), again.sessions()], id)
      await scope.sessions().save(sessionOf(id, 2))
      await assertTexts(again.memory(id), ['of the memory'])
      await assertStored([again.sessions()], sessionOf(id, 2))
      assert.equal(await again.deleteMemory(id), true)
      await assertStored([scope.sessions()], sessionOf(id, 2))
      await add(scope.memory(id), 'again')
      assert.equal(await again.sessions().delete(id), true)
      await assertTexts(again.memory(id), ['again'])
    },
  },
  {
    id: 'sessions-in-scopes',
    name: 'a scope lists and deletes the sessions that are its own, nested scopes with their parent, siblings not',
    async run(harness) {
      const token = freshId('t')
      const root = harness.open()
      const save = (scope: StorageScope, id: string) => scope.sessions().save(sessionOf(id, 1))
      const names = ['acme', 'acme-corp', 'acme2', 'Acme', 'acme '].map((name) => token + name)
      const [acme = ''] = names
      for (const name of names) await save(root.scope(name), 'x')
      await save(root, `${acme}:x`)
      await save(root.scope(acme).scope('inner'), 'y')
      for (const name of names) {
        assert.deepEqual(await root.scope(name).sessions().listSessionIds(), ['x'])
      }
      await add(root.scope(acme).memory('x'), 'a memory')
      assert.equal(await root.scope(acme).deleteAll(), 3)
      await assertGone([root.scope(acme).sessions()], 'x')
      await assertGone([root.scope(acme).scope('inner').sessions()], 'y')
      for (const name of names.slice(1)) {
        await assertStored([harness.reopen().scope(name).sessions()], sessionOf('x', 1))
      }
      await assertStored([root.sessions()], sessionOf(`${acme}:x`, 1))
    },
  },
  {
    id: 'sessions-answer-lost',
    name: 'a save whose answer was lost, or was false, is done once, and the next one goes on from it',
    async run(harness) {
      for (const wrap of [answerLost, answeredFalse]) {
        const faulty = (driver: SessionDriver) => {
          let calls = 0
          return wrap(driver, () => calls++ % 2 === 0)
        }
        const store = harness.open(faulty).sessions()
        let session = sessionOf(freshId(), 1)
        let { revision } = await store.save(session)
        for (let turn = 0; turn < 6; turn++) {
          session = grown(session, revision, 2)
          ;({ revision } = await store.save(session))
          await assertStored([harness.reopen().sessions()], session)
        }
        assert.equal(await store.delete(session.id), true)
        await assertGone([harness.reopen().sessions()], session.id)
      }
    },
  },
  {
    id: 'sessions-late-save',
    name: 'a save that lands late, behind a newer one, a deletion or a new creation, changes nothing',
    async run(harness) {
      const late = new LateRequests()
      const never = () => Number.POSITIVE_INFINITY
      const rival = harness.reopen().sessions()
      const first = sessionOf(freshId(), 2)
      const { revision } = await rival.save(first)
      const held = (driver: SessionDriver) => requestLate(driver, next(), late, never)
      const mine = grown(first, revision)
      const saved = await harness.open(held).sessions().save(mine)
      const newer = grown(mine, saved.revision)
      const { revision: last } = await rival.save(newer)
      await late.arrive()
      await assertStored([rival, harness.open().sessions()], newer)

      await harness.open(held).sessions().save(grown(newer, last))
      assert.equal(await rival.delete(first.id), true)
      await late.arrive()
      await assertGone([rival, harness.open().sessions()], first.id)

      const { revision: born } = await rival.save(first)
      await harness.open(held).sessions().save(grown(first, born))
      await rival.delete(first.id)
      await rival.save(first)
      await late.arrive()
      await assertStored([rival, harness.open().sessions()], first)
    },
  },
  {
    id: 'sessions-corrupt',
    name: 'an unreadable session is CORRUPT and names its id; others stay readable, all are listed, and it can be deleted',
    async run(harness) {
      const scope = harness.open()
      const store = scope.sessions()
      const [id, neighbour] = [freshId('broken'), freshId('whole')]
      await store.save(sessionOf(id, 4))
      await store.save(sessionOf(neighbour, 4))
      await spoil(harness.driver, harness.cellId(id).replace(/^m/, 's'))
      const fresh = harness.reopen().sessions()
      const error = await failure(fresh.load(id))
      assert.equal(error?.code, 'CORRUPT')
      assert.ok(error.message.includes(id), `names no id: ${error.message}`)
      await assertStored([store, fresh], sessionOf(neighbour, 4))
      const ids = await fresh.listSessionIds()
      assert.ok(ids.includes(id) && ids.includes(neighbour))
      assert.equal(await fresh.delete(id), true)
      await assertGone([fresh], id)
      await assertStored([fresh], sessionOf(neighbour, 4))
    },
  },
  {
    id: 'sessions-in-parts',
    name: 'whatever a session holds, its head stays within 16 KiB and its entries within 1 MiB each, as finished strings',
    async run(harness) {
      const check = (head: string, entries: readonly string[]) => {
        assert.ok(Buffer.byteLength(head) <= 16_384, `a head of ${Buffer.byteLength(head)} bytes`)
        for (const entry of entries) {
          assert.ok(Buffer.byteLength(entry) <= MIB, 'an entry over 1 MiB')
        }
        assert.ok(
          [head, ...entries].every((text) => !/[\0\p{Cs}]/u.test(text)),
          'U+0000 or half a surrogate pair',
        )
      }
      const store = harness.open((driver) => observe(driver, check)).sessions()
      const texts = ['\u0000'.repeat(1_300), '\ud800'.repeat(1_300), 'x'.repeat(8_000)]
      for (const text of texts) {
        const session = sessionOf(freshId(), 0, {
          metadata: { createdAt: 1, updatedAt: 2, attributes: { text } },
          memory: { items: [{ type: 'note', text: text.repeat(200) }], summary: text.repeat(200) },
        })
        const { revision } = await store.save(session)
        await assertStored([harness.reopen().sessions()], session)
        await store.save(grown(session, revision))
      }
    },
  },
]
