/** One process of a race: several writers, each with a storage of its own, append to one session. */
import { openSync, writeSync } from 'node:fs'
import {
  createStorage,
  type SessionDriver,
  type Version,
  WindowedMemoryCompressor,
} from '@holdfast/core'
import { InjectedFault } from '../injected-fault.ts'
import { Random } from '../random.ts'
import { openBackend, type SharedBackend } from './backends.ts'
import { orders } from './child.ts'
import { itemOf, tokensOf } from './tokens.ts'

export interface RaceOrders {
  readonly backend: SharedBackend
  readonly path: string
  readonly session: string
  readonly process: number
  readonly writers: number
  readonly appends: number
  readonly window: number
  readonly seed: number
  /** Share of lost answers for every second writer, 0 to 1. */
  readonly lost: number
  /** A file of this process alone: one line per applied write. */
  readonly journal: string
}

/** One line of a journal. */
export interface JournalLine {
  readonly expected: string | null
  readonly revision: string
  /** Entries that went at the front; -1: all of them. */
  readonly drop: number
  readonly tokens: readonly string[]
}

export interface RaceResult {
  acknowledged: number
  /** Calls that failed as not committed and were made again. */
  repeated: number
  lostAnswers: number
  lostRaces: number
}

const race = await orders<RaceOrders>()
const connection = await openBackend(race.backend, race.path)
const journal = openSync(race.journal, 'a')
const result: RaceResult = { acknowledged: 0, repeated: 0, lostAnswers: 0, lostRaces: 0 }

const note = (line: JournalLine) => writeSync(journal, `${JSON.stringify(line)}\n`)

/** Notes what was applied, then loses some of the answers. */
function watched(inner: SessionDriver, random: Random, lost: number): SessionDriver {
  function answer<T>(value: T): T {
    if (!random.chance(lost)) return value
    result.lostAnswers++
    throw new InjectedFault('the answer was lost')
  }
  function written(
    version: Version | false,
    expected: Version | null,
    drop: number,
    entries: readonly string[],
  ): Version | false {
    if (version) {
      const { revision } = version
      note({ expected: expected?.revision ?? null, revision, drop, tokens: tokensOf(entries) })
    } else {
      result.lostRaces++
    }
    return answer(version)
  }
  const { append } = inner
  const driver: SessionDriver = {
    read: async (id, options) => answer(await inner.read(id, options)),
    list: async (query) => answer(await inner.list(query)),
    replace: async (id, next, expected) =>
      written(await inner.replace(id, next, expected), expected, -1, next.entries),
    classify: (error) => (error instanceof InjectedFault ? error.kind : inner.classify?.(error)),
  }
  if (append) {
    driver.append = async (id, change, expected) =>
      written(await append.call(inner, id, change, expected), expected, change.drop, change.entries)
  }
  return driver
}

async function write(writer: number): Promise<void> {
  const random = new Random(race.seed + 100 * race.process + writer)
  const lost = writer % 2 === 0 ? race.lost : 0
  const storage = createStorage(watched(connection.driver, random, lost))
  const memory = storage.memory(race.session, {
    compressor: new WindowedMemoryCompressor(race.window),
  })
  for (let number = 0; number < race.appends; number++) {
    for (;;) {
      try {
        await memory.addOutputItems([itemOf(`${race.process}.${writer}`, number)])
        break
      } catch (error) {
        // What failed as not committed may be made again; anything else ends the race.
        if ((error as { outcome?: string }).outcome !== 'not-committed') throw error
        result.repeated++
      }
    }
    result.acknowledged++
  }
  await storage.close()
}

await Promise.all(Array.from({ length: race.writers }, (_, writer) => write(writer)))
connection.close()
console.log(JSON.stringify(result))
