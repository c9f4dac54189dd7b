import assert from 'node:assert/strict'
import { assertItems, assertTexts, failure, lasting, user, whole } from './expect.ts'
import { lookAlikes } from './look-alikes.ts'
import { all, always, memoryCase, memoryRace, persistent, snapshots } from './memory-case.ts'
import type { MemoryHarness, TestedMemory } from './memory-harness.ts'

/** What no session is ever named: refused before anything is stored. */
const REFUSED = ['', ' ', '\t', '\u00a0\u2003', '\ud800', 'a\udc00b', 'x'.repeat(256)]

const openAll = async (harness: MemoryHarness) => {
  const ids = lookAlikes(harness.newId())
  assert.equal(new Set(ids).size, ids.length)
  return Promise.all(
    ids.map(async (id) => ({
      id,
      memory: await harness.open(id),
      again: await harness.reopen(id),
    })),
  )
}

/** RULE session isolation. */
export const isolationCases = [
  memoryCase(
    'isolation-unrelated-ids',
    'two memories of two ids share nothing',
    always,
    async (harness) => {
      const one = await harness.open(harness.newId())
      const two = await harness.open(harness.newId())
      await one.addUserInput('of one')
      await two.addUserInput('of two')
      await assertTexts(one, ['of one'])
      await assertTexts(two, ['of two'])
      await one.clear()
      await assertTexts(two, ['of two'])
    },
  ),
  memoryCase(
    'isolation-summaries',
    'a summary is seen through its own id alone',
    snapshots,
    async (harness) => {
      const one = whole(await harness.open(harness.newId()))
      const two = whole(await harness.open(harness.newId()))
      await one.setSummary('of one')
      assert.equal(await two.getSummary(), undefined)
      await assertItems(two, [])
    },
  ),
  memoryCase(
    'isolation-look-alike-ids',
    'ids that differ in case, accents, blanks, normal form, separators, patterns or one emoji are different sessions',
    persistent,
    async (harness) => {
      const opened = await openAll(harness)
      await Promise.all(opened.map(({ id, memory }) => memory.addUserInput(`of <${id}>`)))
      for (const { id, memory, again } of opened) {
        for (const reader of [memory, again]) await assertTexts(reader, [`of <${id}>`])
      }
    },
  ),
  memoryCase(
    'isolation-exact-clear-and-delete',
    'clear and delete reach exactly one id, whatever its neighbours look like',
    persistent,
    async (harness) => {
      const opened = await openAll(harness)
      await Promise.all(opened.map(({ id, memory }) => memory.addUserInput(`of <${id}>`)))
      const gone = new Set<TestedMemory>()
      for (const [index, { memory }] of opened.entries()) {
        // The first one, the beginning of nearly all others, is deleted.
        if (index % 3 === 0) assert.equal(await lasting(memory).delete(), true)
        else if (index % 3 === 1) await memory.clear()
        else continue
        gone.add(memory)
      }
      for (const { id, memory, again } of opened) {
        for (const reader of [memory, again]) {
          await assertTexts(reader, gone.has(memory) ? [] : [`of <${id}>`])
        }
      }
    },
  ),
  memoryCase(
    'isolation-control-characters',
    'ids with control characters are refused with INVALID_ARGUMENT, or are sessions of their own',
    persistent,
    async (harness) => {
      const base = harness.newId()
      const plain = await harness.open(base)
      await plain.addUserInput('plain')
      for (const end of ['\n', '\r', '\t', '\u0000', '\u0007', '\u007f', '\u0085']) {
        const add = (async () => {
          const memory = await harness.open(`${base}${end}`)
          await memory.addUserInput(`end ${JSON.stringify(end)}`)
          return memory
        })()
        const memory = await add.catch(() => undefined)
        if (memory) await assertTexts(memory, [`end ${JSON.stringify(end)}`])
        else await failure(add, 'INVALID_ARGUMENT')
        await assertTexts(plain, ['plain'])
      }
    },
  ),
  memoryCase(
    'isolation-ids-refused',
    'blank, ill-formed and overlong ids are INVALID_ARGUMENT',
    persistent,
    async (harness) => {
      for (const id of REFUSED) {
        const use = async () => (await harness.open(id)).addUserInput('lost')
        await failure(use(), 'INVALID_ARGUMENT')
      }
    },
  ),
  memoryCase(
    'isolation-one-id-one-state',
    'two handles on one id, and a second process, share one state',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const handles = [await harness.open(id), await harness.open(id), await harness.reopen(id)]
      for (const [index, handle] of handles.entries()) await handle.addUserInput(`by ${index}`)
      for (const handle of handles) {
        await assertItems(handle, [user('by 0'), user('by 1'), user('by 2')])
      }
    },
  ),
  memoryRace(
    'isolation-under-load',
    'sessions written at the same time from two processes keep exactly their own items',
    all(persistent),
    async (harness) => {
      const ids = Array.from({ length: 8 }, () => harness.newId())
      await Promise.all(
        ids.map(async (id) => {
          const memories = [await harness.open(id), await harness.reopen(id)]
          for (let n = 0; n < 4; n++) {
            await Promise.all(memories.map((memory, of) => memory.addUserInput(`${id} ${of} ${n}`)))
          }
        }),
      )
      for (const id of ids) {
        const texts = (await (await harness.open(id)).getItems()).map((item) =>
          JSON.stringify(item),
        )
        assert.equal(texts.length, 8)
        for (const text of texts) assert.ok(text.includes(id))
      }
    },
  ),
]
