import { createStorage, type DurableAgentMemory, userMessage } from '@holdfast/core'
import { type AppendBytes, messageOf, messages, recording } from './bytes.ts'
import type { Engine } from './engine.ts'
import { interleave, type Side } from './rounds.ts'
import { ratios, type Spread, spreadOf } from './statistics.ts'

/** How much to measure. */
export interface Effort {
  readonly rounds: number
  readonly warmUp: number
  /** Appends of one round. */
  readonly appends: number
}

export interface Compared {
  /** µs per operation. */
  readonly ours: Spread
  readonly bare: Spread
  readonly ratio: Spread
}

const compared = (ours: readonly number[], bare: readonly number[]): Compared => ({
  ours: spreadOf(ours),
  bare: spreadOf(bare),
  ratio: spreadOf(ratios(ours, bare)),
})

/** Items of a session before the measured appends. */
export const SIZES = [10, 1_000, 10_000] as const
/** Text of an appended message, as it is stored. */
const ITEM_BYTES = 200
/** A session of 10 items is not one any more after some appends: then the next one takes its place. */
const APPENDS_OF_SMALL = 10
/** Rounds until a session of 1,000 items is replaced. Loading 10,000 items anew would take longer than all that is measured. */
const ROUNDS_OF_MIDDLE = 10

/** What a storage hands to its driver for one append at that size. */
async function sample({ driver }: Engine, size: number): Promise<AppendBytes> {
  const recorded = recording(driver)
  const memory = createStorage(recorded.driver).memory(`sample ${size}`)
  await memory.restore({ items: messages(size, ITEM_BYTES) })
  await memory.addOutputItems([messageOf(ITEM_BYTES, size)])
  return recorded.last()
}

export interface AppendResult {
  readonly at: Readonly<Record<number, Compared>>
  /** Ours at 10,000 items against ours at 10, round by round. */
  readonly growth: Spread
}

/** One item appended to a session of 10, 1,000 and 10,000 items. */
export async function appends(engine: Engine, effort: Effort): Promise<AppendResult> {
  const storage = createStorage(engine.driver)
  const item = messageOf(ITEM_BYTES, 7)
  const sides: Record<string, Side> = {}
  for (const size of SIZES) {
    const bytes = await sample(engine, size)
    const sessions = size === 10 ? Math.ceil(effort.appends / APPENDS_OF_SMALL) : 1
    const each = Math.ceil(effort.appends / sessions)
    const life = size === 10 ? 1 : size === 1_000 ? ROUNDS_OF_MIDDLE : Number.POSITIVE_INFINITY
    const rounds = { ours: 0, bare: 0 }
    let fresh = 0
    let ours: DurableAgentMemory[] = []
    let bare: string[] = []
    const ids = (prefix: string) =>
      Array.from({ length: sessions }, () => `${prefix} ${size} ${fresh++}`)

    sides[`ours ${size}`] = {
      operations: sessions * each,
      async prepare() {
        if (ours.length === 0 || rounds.ours++ % life === 0) {
          ours = ids('ours').map((id) => storage.memory(id))
          for (const memory of ours) await memory.restore({ items: messages(size, ITEM_BYTES) })
        }
        return async () => {
          for (const memory of ours) {
            for (let at = 0; at < each; at++) await memory.addOutputItems([item])
          }
        }
      },
    }
    sides[`bare ${size}`] = {
      operations: sessions * each,
      async prepare() {
        if (bare.length === 0 || rounds.bare++ % life === 0) {
          bare = ids('bare')
          for (const id of bare) await engine.bare.create(id, bytes, size)
        }
        return () => {
          let running: unknown
          for (const id of bare) {
            running =
              running instanceof Promise
                ? running.then(() => engine.bare.append(id, bytes, each))
                : engine.bare.append(id, bytes, each)
          }
          return running
        }
      },
    }
  }
  const measured = await interleave(sides, effort)
  const of = (name: string) => measured[name] ?? []
  return {
    at: Object.fromEntries(
      SIZES.map((size) => [size, compared(of(`ours ${size}`), of(`bare ${size}`))]),
    ),
    growth: spreadOf(ratios(of(`ours ${SIZES[2]}`), of(`ours ${SIZES[0]}`))),
  }
}

export interface ReadResult extends Compared {
  /** The same with all items copied out for the caller, µs. */
  readonly withItems: Spread
  /** Bytes that the database returns for one read of the unchanged session. */
  readonly bytes: number
  /** The same for a session of a hundredth of the size. */
  readonly bytesOfSmall: number
}

/** A strong read of an unchanged session of 1 MB, against a point read of its revision. */
export async function unchangedRead(engine: Engine, effort: Effort): Promise<ReadResult> {
  const storage = createStorage(engine.driver)
  const memory = storage.memory('read')
  await memory.restore({ items: messages(1_000, 1_024) })
  await memory.getItems()
  await engine.bare.create('read', { head: '{}', body: '{}' }, 1)
  const count = effort.appends
  const fewer = 1
  const measured = await interleave(
    {
      ours: {
        operations: count,
        prepare: async () => async () => {
          for (let at = 0; at < count; at++) await memory.getSummary()
        },
      },
      items: {
        operations: fewer,
        prepare: async () => async () => {
          for (let at = 0; at < fewer; at++) await memory.getItems()
        },
      },
      bare: {
        operations: count,
        prepare: async () => () => engine.bare.readRevision('read', count),
      },
    },
    effort,
  )
  const counted = await engine.counting()
  const counting = createStorage(counted.driver)
  const bytesOf = async (id: string) => {
    const read = counting.memory(id)
    await read.getItems()
    const before = counted.bytes()
    await read.getItems()
    return counted.bytes() - before
  }
  await storage.memory('small read').restore({ items: messages(10, 1_024) })
  return {
    ...compared(measured.ours, measured.bare),
    withItems: spreadOf(measured.items),
    bytes: await bytesOf('read'),
    bytesOfSmall: await bytesOf('small read'),
  }
}

const SESSIONS = 10_000

/** A page of 20 out of 10,000 sessions. */
export async function page(engine: Engine, effort: Effort): Promise<Compared> {
  const storage = createStorage(engine.driver)
  const scope = storage.scope('pages')
  const name = (number: number) => `session ${String(number).padStart(5, '0')}`
  const { head } = await sample(engine, SIZES[0])
  for (let number = 0; number < SESSIONS; number++) {
    // Straight to the driver: what is measured is the list.
    const revision = `page.${number}`
    await engine.driver.replace(
      `m1:pages:${name(number)}`,
      { revision, head, entries: ['{"type":"message"}'] },
      null,
    )
    await engine.bare.create(name(number), { head, body: '{"type":"message"}' }, 1)
  }
  const listed = await scope.listMemories({ after: name(4_999), limit: 20 })
  if (listed.memories[0]?.id !== name(5_000) || listed.memories.length !== 20) {
    throw new Error(`the page is wrong: ${JSON.stringify(listed)}`)
  }
  const starts = Array.from({ length: 10 }, (_, at) => name((at * 977) % (SESSIONS - 100)))
  const measured = await interleave(
    {
      ours: {
        operations: starts.length,
        prepare: async () => async () => {
          for (const after of starts) await scope.listMemories({ after, limit: 20 })
        },
      },
      bare: {
        operations: starts.length,
        prepare: async () => () => engine.bare.list(starts),
      },
    },
    effort,
  )
  return compared(measured.ours, measured.bare)
}

export interface DiskResult {
  readonly text: number
  readonly stored: number
}

const TURNS = 200
const MESSAGE = 1_024

/** Tables and indexes after 200 turns of two messages of 1 KB. */
export async function disk(engine: Engine): Promise<DiskResult> {
  const text = (turn: number, who: string) =>
    `${who} ${turn} `.padEnd(MESSAGE, 'lorem ipsum dolor ')
  const stored = await engine.bytesOnDisk(async (driver) => {
    const memory = createStorage(driver).memory('chat')
    for (let turn = 0; turn < TURNS; turn++) {
      await memory.addUserInput(text(turn, 'user'))
      await memory.addOutputItems([{ ...userMessage(text(turn, 'assistant')), role: 'assistant' }])
    }
  })
  return { text: 2 * TURNS * MESSAGE, stored }
}
