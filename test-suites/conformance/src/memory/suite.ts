import type { MemoryCompressor } from '@holdfast/core'
import { type BoundCase, prepare } from '../case.ts'
import { checkMemoryConnection } from '../connection-shape.ts'
import { Connections } from '../connections.ts'
import { freshId } from '../fresh-id.ts'
import { chooseSeed } from '../wrappers/index.ts'
import { agentMemoryCases } from './cases.ts'
import type { MemoryAbilities, MemoryHarness, TestedMemory } from './memory-harness.ts'
import { randomMemoryCase } from './random-memory.ts'

/** One process that opens memories. */
export interface MemoryConnection {
  /** The memory of `id`; with `compressor` on its write path, if one is given. */
  open(
    id: string,
    options?: { readonly compressor?: MemoryCompressor },
  ): Promise<TestedMemory> | TestedMemory
  /** Closes what `connect` opened. */
  close(): Promise<void>
}

/** The memories under test. */
export interface AgentMemoryOptions {
  /** Called twice for a persistent memory, over the same storage: two calls stand for two processes. */
  connect(): Promise<MemoryConnection>
}

export interface AgentMemorySuiteOptions extends AgentMemoryOptions, MemoryAbilities {
  /** Repeats the random sequence. Default: `HOLDFAST_SEED`, else a new one. */
  readonly seed?: number | undefined
}

/** The cases, ready to be run by anything. */
export interface AgentMemorySuite {
  /** Those that do not apply say so by `skip`. */
  readonly cases: readonly BoundCase[]
  /** Of the random sequence. */
  readonly seed: number
  /** Opens the storage ahead of the first case, which else does so; rejects if it cannot be opened. */
  open(): Promise<void>
  /** Closes every connection that the cases opened. */
  close(): Promise<void>
}

/** Every memory case, bound to memories that `connect` opens when the first case runs. */
export function agentMemorySuite(options: AgentMemorySuiteOptions): AgentMemorySuite {
  const { persistent, swap, snapshot } = options
  const abilities: MemoryAbilities = { persistent, swap, snapshot }
  const seed = chooseSeed(options.seed)
  const connections = new Connections(
    async () => checkMemoryConnection(await options.connect()),
    persistent ? 2 : 1,
  )
  const harness = async (): Promise<MemoryHarness> => {
    const [first, second] = await connections.open()
    return {
      abilities,
      open: async (id, openOptions) => first.open(id, openOptions),
      reopen: async (id, openOptions) => second.open(id, openOptions),
      newId: () => freshId('m').slice(0, 40),
    }
  }
  const cases = prepare(
    'memory',
    [...agentMemoryCases, randomMemoryCase(seed)],
    harness,
    ({ applies }) => {
      const answer = applies?.({ abilities } as MemoryHarness) ?? true
      return answer === true ? undefined : answer
    },
  )
  return {
    cases,
    seed,
    async open() {
      await connections.open()
    },
    close: () => connections.close(),
  }
}
