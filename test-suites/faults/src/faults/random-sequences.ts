import { type MemoryHarness, randomMemoryCase } from '@holdfast/conformance'
import type { Storage } from '@holdfast/core'
import { targetOf } from '../targets/targets.ts'
import type { Trial } from './trial.ts'

/** Steps of one sequence; up to four calls and a look at everything each. */
const STEPS = 20
const AT_ONCE = 4

/** What the sequences showed. */
export interface SequenceCounts {
  readonly sequences: number
  /** One line for each that differed from the model, with its seed. */
  readonly differed: readonly string[]
}

function harnessOf(first: Storage, second: Storage, scope: string): MemoryHarness {
  let count = 0
  return {
    abilities: { persistent: true, swap: 'eager', snapshot: true },
    open: async (id, options) => first.scope(scope).memory(id, options),
    reopen: async (id, options) => second.scope(scope).memory(id, options),
    newId: () => `m${count++}`,
  }
}

/** (e) Random sequences of calls by two processes, each compared with the model in answers, errors and states. */
export async function randomSequences(trial: Trial, sequences: number): Promise<SequenceCounts> {
  const { target, place, session, random } = trial
  const { open, shared } = targetOf(target)
  const first = await open(place)
  const second = shared ? await open(place) : first
  const differed: string[] = []
  const seeds = Array.from({ length: sequences }, () => random.integer(0, 2 ** 31))
  async function take(): Promise<void> {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
      const scope = `${session} ${seed}`
      try {
        await randomMemoryCase(seed, STEPS).run(harnessOf(first, second, scope))
      } catch (error) {
        differed.push(error instanceof Error ? error.message : String(error))
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, take))
  for (const storage of new Set([first, second])) await storage.close()
  return { sequences, differed }
}
