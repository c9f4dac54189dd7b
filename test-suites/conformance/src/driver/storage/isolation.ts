import assert from 'node:assert/strict'
import type { StorageScope } from '@holdfast/core'
import { freshId } from '../../fresh-id.ts'
import { intercept } from '../../wrappers/index.ts'
import { pause } from '../cells.ts'
import { HOSTILE_NAMES, LOOK_ALIKES } from '../ids.ts'
import { byUtf8 } from '../listing.ts'
import { spoil } from './spoil.ts'
import { add, assertTexts, failure, note, type StorageCase } from './storage-harness.ts'

/** All ids of a scope, by pages of `limit`. */
async function idsOf(scope: StorageScope, limit = 1_000): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await scope.listMemories({ limit, ...(after === undefined ? {} : { after }) })
    ids.push(...page.memories.map((it) => it.id))
    if (page.next === undefined) return ids
    assert.ok(ids.length <= 100_000, 'the listing does not end')
    after = page.next
  }
}

export const isolationCases: readonly StorageCase[] = [
  {
    id: 'isolated-ids',
    name: 'memories whose ids look alike or look like patterns share nothing, deletion included',
    async run(harness) {
      const scope = harness.open().scope(freshId())
      const ids = [...new Set([...LOOK_ALIKES.flat(), ...HOSTILE_NAMES])].filter(
        (id) => id.trim() !== '',
      )
      for (const id of ids) await add(scope.memory(id), id)
      for (const id of ids) await assertTexts(scope.memory(id), [id])
      assert.deepEqual(await idsOf(scope, 17), [...ids].sort(byUtf8))
      const gone = ids.filter((_, index) => index % 3 === 0)
      for (const id of gone) assert.equal(await scope.deleteMemory(id), true, id)
      const left = ids.filter((_, index) => index % 3 !== 0)
      assert.deepEqual(await idsOf(scope), left.sort(byUtf8))
      for (const id of left) await assertTexts(scope.memory(id), [id])
    },
  },
  {
    id: 'refused-ids',
    name: 'ids that no driver can keep are INVALID_ARGUMENT before anything is sent',
    async run(harness) {
      let sent = 0
      const count = <T>(send: () => Promise<T>): Promise<T> => {
        sent++
        return send()
      }
      const scope = harness.open((driver) => intercept(driver, { read: count, write: count }))
      const long = 'x'.repeat(256)
      for (const id of [
        '',
        ' ',
        '\u0000',
        'a\nb',
        'a\u0007',
        '\u0085',
        '\ud800',
        'x\udc00',
        long,
        'é'.repeat(128),
      ]) {
        for (const call of [
          () => scope.memory(id),
          () => scope.scope(id),
          () => scope.deleteMemory(id),
        ]) {
          const error = await failure((async () => call())())
          assert.equal(error?.code, 'INVALID_ARGUMENT', JSON.stringify(id))
        }
      }
      assert.equal(sent, 0, 'a request was sent')
      const longest = harness.open().scope(freshId())
      await add(longest.memory('é'.repeat(127)), 'fits')
      await assertTexts(longest.memory('é'.repeat(127)), ['fits'])
    },
  },
  {
    id: 'scope-or-id',
    name: 'a plain id never collides with an id in a scope, however they are cut',
    async run(harness) {
      const name = freshId('t')
      const root = harness.open()
      const cells = {
        'root id with a colon': root.memory(`${name}:x`),
        'scope and id': root.scope(name).memory('x'),
        'scope with a colon': root.scope(`${name}:x`).memory('y'),
        'scope and id with a colon': root.scope(name).memory('x:y'),
        'nested scopes': root.scope(name).scope('x').memory('y'),
        'escaped colon': root.scope(`${name}~1x`).memory('y'),
        'escaped tilde': root.scope(`${name}~01x`).memory('y'),
        'as a driver has it': root.memory(`m1:${name}:x`),
        'tilde in an id': root.scope(name).memory('x~1y'),
      }
      for (const [label, memory] of Object.entries(cells)) await add(memory, label)
      for (const [label, memory] of Object.entries(cells)) await assertTexts(memory, [label])
      assert.deepEqual(await idsOf(root.scope(name)), ['x', 'x:y', 'x~1y'])
    },
  },
  {
    id: 'scope-boundaries',
    name: 'a scope lists and deletes what is its own: acme nothing of acme-corp, nested scopes with their parent',
    async run(harness) {
      const token = freshId('t')
      const root = harness.open()
      const names = [
        'acme',
        'acme-corp',
        'acme2',
        'acmex',
        'Acme',
        'acme ',
        'ac%',
        'ac*',
        'acm_',
      ].map((name) => token + name)
      for (const name of names) await add(root.scope(name).memory('x'), name)
      const [acme = ''] = names
      await add(root.scope(acme).scope('inner').memory('x'), 'inner')
      await add(root.scope(acme).scope('inner').scope('deep').memory('y'), 'deep')
      await add(root.scope(`${acme}:inner`).memory('x'), 'look-alike')
      assert.deepEqual(await idsOf(root.scope(acme)), ['x'])
      assert.equal(await root.scope(acme).deleteAll(), 3)
      assert.deepEqual(await idsOf(root.scope(acme)), [])
      await assertTexts(root.scope(acme).scope('inner').memory('x'), [])
      for (const name of names.slice(1)) await assertTexts(root.scope(name).memory('x'), [name])
      await assertTexts(root.scope(`${acme}:inner`).memory('x'), ['look-alike'])
    },
  },
  {
    id: 'listing-beside-writers',
    name: 'a listing walked while others create and delete shows each lasting id once, ascending',
    race: true,
    async run(harness) {
      const name = freshId('t')
      const scope = harness.open().scope(name)
      const rival = harness.reopen().scope(name)
      const steady = Array.from({ length: 15 }, (_, index) => `s${10 + index}`)
      for (const id of steady) await add(scope.memory(id), id)
      let walking = true
      const write = async () => {
        for (let round = 0; walking && round < 25; round++) {
          const id = `s${10 + (round % 15)}-passing`
          await add(rival.memory(id), round)
          await add(rival.memory(steady[round % 15] ?? ''), round)
          await rival.deleteMemory(id)
          await pause()
        }
      }
      const writer = write()
      try {
        for (const limit of [1, 4, 15]) {
          const ids = await idsOf(scope, limit)
          assert.deepEqual(ids, [...new Set(ids)].sort(byUtf8))
          assert.deepEqual(
            ids.filter((id) => !id.endsWith('-passing')),
            steady,
          )
        }
      } finally {
        walking = false
        await writer
      }
      assert.deepEqual(await idsOf(scope), steady)
    },
  },
  {
    id: 'corrupt-record',
    name: 'an unreadable record is CORRUPT and names id and entry; other sessions stay readable, and it can be deleted',
    async run(harness) {
      const scope = harness.open()
      const [id, neighbour] = [freshId('broken'), freshId('whole')]
      await scope.memory(id).addOutputItems([note(0), note(1), note(2)])
      await add(scope.memory(neighbour), 'whole')
      await spoil(harness.driver, harness.cellId(id))
      const fresh = harness.reopen()
      const error = await failure(fresh.memory(id).getItems())
      assert.equal(error?.code, 'CORRUPT')
      assert.ok(error.message.includes(id), `names no id: ${error.message}`)
      assert.match(error.message, /\b1\b/, 'names no entry')
      for (const reader of [scope, fresh]) {
        await assertTexts(reader.memory(neighbour), ['whole'])
      }
      assert.equal((await failure(add(fresh.memory(id), 'more')))?.code, 'CORRUPT')
      const stored = await harness.driver.read(harness.cellId(id))
      assert.ok(
        stored && stored !== 'unchanged' && stored.entries.length === 3,
        'an add changed it',
      )
      assert.equal(await fresh.deleteMemory(id), true)
      await assertTexts(fresh.memory(id), [])
      await assertTexts(fresh.memory(neighbour), ['whole'])
    },
  },
]
