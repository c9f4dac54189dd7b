import {
  type AgentItem,
  HoldfastError,
  InMemoryAgentMemory,
  type MemoryCompressor,
  type MemorySnapshot,
} from '@holdfast/core'
import type { OpenOptions } from '../../src/memory/index.ts'
import {
  type BrokenMemory,
  inProcess,
  LocalMemory,
  OneDoorInProcess,
  type UserInput,
} from './broken-memory.ts'
import { type Compress, whenAnswered, withCompressor } from './with-compressor.ts'

type Recover = (
  memory: CatchesOn,
  items: readonly AgentItem[],
  error: HoldfastError,
) => Promise<void>

class CatchesOn extends OneDoorInProcess {
  readonly #recover: Recover
  constructor(options: OpenOptions, recover: Recover) {
    super(options)
    this.#recover = recover
  }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    try {
      await this.store(items)
    } catch (error) {
      if ((error as HoldfastError).code !== 'COMPRESSION_FAILED') throw error
      await this.#recover(this, items, error as HoldfastError)
    }
  }
  again(items: readonly AgentItem[]): Promise<void> {
    this.compressor = undefined
    return this.store(items)
  }
}

const recovering = (fault: string, rejectedBy: string, recover: Recover) =>
  inProcess(fault, rejectedBy, (options) => new CatchesOn(options, recover))

/** Takes whatever a compressor answers for a snapshot. */
const leniently =
  (compressor: MemoryCompressor): Compress =>
  (snapshot) => {
    const answer = compressor.compress(snapshot)
    const lenient = (given: MemorySnapshot): MemorySnapshot =>
      Array.isArray(given?.items) ? given : { items: [] }
    return whenAnswered(answer, lenient)
  }

class StoresWhatTheCompressorSpoilt extends InMemoryAgentMemory {
  constructor({ compressor }: OpenOptions) {
    const spoilt: MemorySnapshot[] = []
    super(
      compressor && {
        compressor: {
          compress(snapshot) {
            spoilt.push(snapshot)
            return compressor.compress(snapshot)
          },
        },
      },
    )
    this.#spoilt = spoilt
  }
  readonly #spoilt: MemorySnapshot[]
  override async addUserInput(input: UserInput): Promise<void> {
    try {
      await super.addUserInput(input)
    } catch (error) {
      const last = this.#spoilt.at(-1)
      if (last) await super.restore(last)
      throw error
    }
  }
}

/** Looks at the error where it should look at whether there was one. */
class MissesFalsy extends InMemoryAgentMemory {
  override async addUserInput(input: UserInput): Promise<void> {
    try {
      await super.addUserInput(input)
    } catch (error) {
      if ((error as Error).cause || (error as HoldfastError).code !== 'COMPRESSION_FAILED')
        throw error
    }
  }
}

class GivesUpCompressing extends LocalMemory {
  #waiting = 0
  override async addUserInput(input: UserInput): Promise<void> {
    this.#waiting += 1
    try {
      await super.addUserInput(input)
    } catch (error) {
      if (this.#waiting > 1) this.compressor = undefined
      throw error
    } finally {
      this.#waiting -= 1
    }
  }
}

const fails = 'failing-compressor-throws'

export const brokenFailures: readonly BrokenMemory[] = [
  recovering('compressor error swallowed', fails, async () => {}),
  recovering('compressor rejection swallowed', 'failing-compressor-rejects', async () => {}),
  recovering('item lost when the compressor fails', fails, async (memory, items, error) => {
    await memory.update(({ items: all, ...rest }) => ({
      ...rest,
      items: all.slice(0, -items.length),
    }))
    throw error
  }),
  recovering('item doubled when the compressor fails', fails, async (memory, items, error) => {
    await memory.again(items)
    throw error
  }),
  recovering('the raw error of the compressor', fails, async (_memory, _items, error) => {
    throw error.cause
  }),
  recovering('the error says nothing of the write', fails, async (_memory, _items, { cause }) => {
    throw new HoldfastError('COMPRESSION_FAILED', 'failed', { cause })
  }),
  recovering(
    'a failed compressor is never asked again',
    'failing-compressor-next-add-compresses-all',
    async (memory, _items, error) => {
      await memory.setCompressor(undefined)
      throw error
    },
  ),
  inProcess(
    'what a failing compressor spoilt is stored',
    'failing-compressor-keeps-the-summary',
    (options) => new StoresWhatTheCompressorSpoilt(options),
  ),
  withCompressor('garbage of a compressor empties', 'failing-compressor-garbage', leniently),
  inProcess('a falsy error taken for none', 'failing-compressor-any-reason', (options) => {
    return new MissesFalsy(options)
  }),
  inProcess(
    'one failure among waiting adds ends compression',
    'failing-compressor-frees-the-next',
    (options) => new GivesUpCompressing(options),
  ),
]
