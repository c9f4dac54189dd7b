import assert from 'node:assert/strict'
import type { SessionDriver, StoredSession, Version } from '@holdfast/core'
import {
  append,
  assertAbsent,
  assertEntries,
  assertStored,
  cellId,
  change,
  create,
  numbered,
  pause,
  readCell,
  remove,
  state,
  together,
} from './cells.ts'
import { type DriverCase, type DriverHarness, needs } from './driver-harness.ts'

const WRITERS = 8
const ROUNDS = 10

/** Writer 0, 2, 4… in the one process, 1, 3, 5… in the other. */
const of = ({ driver, other }: DriverHarness, index: number): SessionDriver =>
  index % 2 === 0 ? driver : other

/** Which of `answers` won; asserts that it was exactly one. */
function winner(answers: readonly (Version | boolean)[]): number {
  const winners = answers.flatMap((answer, index) => (answer === false ? [] : [index]))
  assert.equal(
    winners.length,
    1,
    `${winners.length} of ${answers.length} writers with one expected state won`,
  )
  return winners[0] ?? -1
}

/** Changes what is stored until the change was accepted. */
async function changeUntilAccepted(
  driver: SessionDriver,
  id: string,
  next: (current: StoredSession) => Promise<Version | false>,
): Promise<void> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    if ((await next(await readCell(driver, id))) !== false) return
    await new Promise((done) => setTimeout(done, Math.random() * Math.min(attempt, 20)))
  }
  assert.fail('2,000 attempts in a row lost the race')
}

export const raceCases: readonly DriverCase[] = [
  {
    id: 'race-create',
    name: 'of 8 writers that create one id at once exactly one wins, and its state is stored',
    race: true,
    async run(harness) {
      for (let round = 0; round < ROUNDS; round++) {
        const id = cellId()
        const states = Array.from({ length: WRITERS }, (_, by) => state(numbered(by + 1, by * 10)))
        const answers = await together(WRITERS, (by) =>
          of(harness, by).replace(id, states[by] ?? state([]), null),
        )
        await assertStored(harness.driver, id, states[winner(answers)] ?? state([]))
      }
    },
  },
  {
    id: 'race-replace',
    name: 'of 8 replacements of one state exactly one wins, and its state is stored',
    race: true,
    async run(harness) {
      const id = cellId()
      let expected = await create(harness.driver, id, state(numbered(3)))
      for (let round = 0; round < ROUNDS; round++) {
        const states = Array.from({ length: WRITERS }, (_, by) => state(numbered(by + 1, by * 10)))
        const answers = await together(WRITERS, (by) =>
          of(harness, by).replace(id, states[by] ?? state([]), expected),
        )
        const won = winner(answers)
        await assertStored(harness.other, id, states[won] ?? state([]))
        expected = answers[won] as Version
      }
    },
  },
  {
    id: 'race-append',
    name: 'of 8 appends to one state exactly one wins, and its entries alone are added',
    race: true,
    applies: needs('append'),
    async run(harness) {
      const id = cellId()
      let entries: string[] = numbered(2)
      let expected = await create(harness.driver, id, state(entries))
      for (let round = 0; round < ROUNDS; round++) {
        const changes = Array.from({ length: WRITERS }, (_, by) =>
          change(numbered(2, by * 10 + 100), { drop: 1, head: JSON.stringify({ by }) }),
        )
        const answers = await together(WRITERS, (by) =>
          append(of(harness, by), id, changes[by] ?? change([]), expected),
        )
        const won = winner(answers)
        const next = changes[won] ?? change([])
        entries = [...entries.slice(1), ...next.entries]
        await assertStored(harness.other, id, { ...next, entries })
        expected = answers[won] as Version
      }
    },
  },
  {
    id: 'race-mixed',
    name: 'of appends, replacements and deletions of one state exactly one wins',
    race: true,
    applies: needs('append', 'delete'),
    async run(harness) {
      for (let round = 0; round < ROUNDS * 2; round++) {
        const id = cellId()
        const expected = await create(harness.driver, id, state(numbered(2)))
        const appended = change(numbered(1, 2))
        const replaced = state(numbered(1, 50))
        const kinds = [0, 1, 2, 0, 1, 2].map((_, index) => (index + round) % 3)
        const answers = await together(kinds.length, async (by): Promise<Version | boolean> => {
          const writer = of(harness, by)
          if (kinds[by] === 0) return remove(writer, id, expected)
          const fresh = { revision: `${by}-${appended.revision}` }
          return kinds[by] === 1
            ? append(writer, id, { ...appended, ...fresh }, expected)
            : writer.replace(id, { ...replaced, ...fresh }, expected)
        })
        const won = winner(answers)
        if (kinds[won] === 0) await assertAbsent(harness.driver, id)
        else {
          const entries = kinds[won] === 1 ? numbered(3) : replaced.entries
          assertEntries((await readCell(harness.driver, id)).entries, entries)
        }
      }
    },
  },
  {
    id: 'race-counter',
    name: '8 writers that read, count up and replace 20 times each count to exactly 160',
    race: true,
    async run(harness) {
      const id = cellId()
      await create(harness.driver, id, state(['0']))
      await together(WRITERS, async (by) => {
        const writer = of(harness, by)
        for (let step = 0; step < 20; step++) {
          await changeUntilAccepted(writer, id, (current) =>
            writer.replace(id, state([String(Number(current.entries[0]) + 1)]), current),
          )
        }
      })
      assertEntries((await readCell(harness.driver, id)).entries, [String(WRITERS * 20)])
    },
  },
  {
    id: 'race-log',
    name: '8 writers that append 20 entries each leave 160, each once, in the order of their writer',
    race: true,
    applies: needs('append'),
    async run(harness) {
      const id = cellId()
      await create(harness.driver, id, state([]))
      await together(WRITERS, async (by) => {
        const writer = of(harness, by)
        for (let step = 0; step < 20; step++) {
          await changeUntilAccepted(writer, id, (current) =>
            append(writer, id, change([JSON.stringify({ by, step })]), current),
          )
        }
      })
      const { entries } = await readCell(harness.other, id)
      const found = entries.map((entry) => JSON.parse(entry) as { by: number; step: number })
      for (let by = 0; by < WRITERS; by++) {
        assert.deepEqual(
          found.filter((entry) => entry.by === by).map((entry) => entry.step),
          Array.from({ length: 20 }, (_, step) => step),
        )
      }
      assert.equal(found.length, WRITERS * 20)
    },
  },
  {
    id: 'race-torn-read',
    name: 'a read beside replacements is one state: its revision, its head and its entries belong together',
    race: true,
    async run(harness) {
      const id = cellId()
      const made = (round: number) => ({
        revision: `${round}-${crypto.randomUUID()}`,
        head: JSON.stringify({ round }),
        entries: numbered(1 + ((round * 7) % 40)).map(() => String(round)),
      })
      await create(harness.driver, id, made(0))
      await readBeside(
        harness,
        id,
        60,
        async (writer, round) => {
          const next = made(round)
          await writer.replace(id, next, await readCell(writer, id))
        },
        (found) => {
          const round = Number(found.revision.split('-')[0])
          assert.deepEqual(found, { ...found, ...made(round), revision: found.revision })
        },
      )
    },
  },
  {
    id: 'race-torn-append',
    name: 'an append of several entries is seen whole or not at all, and with its own head',
    race: true,
    applies: needs('append'),
    async run(harness) {
      const id = cellId()
      const first = { revision: `0-${crypto.randomUUID()}`, head: '{"count":0}', entries: [] }
      await create(harness.driver, id, first)
      await readBeside(
        harness,
        id,
        60,
        async (writer, round) => {
          const current = await readCell(writer, id)
          const { count } = JSON.parse(current.head) as { count: number }
          const drop = round % 5 === 0 ? current.entries.length : 0
          const next = change(numbered(6, count), {
            head: JSON.stringify({ count: count + 6 }),
            drop,
          })
          await append(writer, id, next, current)
        },
        (found) => {
          const { count } = JSON.parse(found.head) as { count: number }
          const size = found.entries.length
          assert.equal(size % 6, 0, `${size} entries: half an append`)
          assertEntries(found.entries, numbered(size, count - size))
        },
      )
    },
  },
]

/** `rounds` writes by each process while two readers check every state that they see. */
async function readBeside(
  harness: DriverHarness,
  id: string,
  rounds: number,
  write: (writer: SessionDriver, round: number) => Promise<void>,
  check: (found: StoredSession) => void,
): Promise<void> {
  let writing = true
  const read = async (reader: SessionDriver) => {
    for (let last: string | undefined; writing; ) {
      const found = await reader.read(id, last === undefined ? {} : { unless: last })
      assert.notEqual(found, null)
      if (found !== 'unchanged' && found !== null) {
        check(found)
        // Every other read is whole, whatever was seen before.
        last = last === undefined ? found.revision : undefined
      }
      await pause()
    }
  }
  const run = async (writer: SessionDriver, first: number) => {
    for (let round = first; round <= rounds * 2; round += 2) {
      await write(writer, round)
      await pause()
    }
  }
  const readers = [read(harness.other), read(harness.driver)]
  try {
    await Promise.race([
      Promise.all([run(harness.driver, 1), run(harness.other, 2)]),
      // A reader ends before the writers only by failing.
      Promise.all(readers),
    ])
  } finally {
    writing = false
    await Promise.allSettled(readers)
  }
  await Promise.all(readers)
  check(await readCell(harness.driver, id))
}
