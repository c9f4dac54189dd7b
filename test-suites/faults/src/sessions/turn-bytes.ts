import {
  type AgentMemory,
  createAgent,
  createStorage,
  InMemoryAgentMemory,
  MemoryDriver,
  type SessionDriver,
  type Storage,
  scriptedModel,
  tool,
  WindowedMemoryCompressor,
} from '@holdfast/core'
import { LatestPolicy } from './compact-policies.ts'

/** Where the memory is, and what shortens it. */
export const TURN_SETUPS = {
  'in-memory memory, durable store': () => new InMemoryAgentMemory(),
  'durable memory and store on one Storage': (storage: Storage, id: string) => storage.memory(id),
  'the same, window of 20 items': (storage: Storage, id: string) =>
    storage.memory(id, { compressor: new WindowedMemoryCompressor(20) }),
  'in-memory memory, compacted at 40 items': () => new InMemoryAgentMemory(),
} as const satisfies Record<string, (storage: Storage, id: string) => AgentMemory>

export type TurnSetup = keyof typeof TURN_SETUPS

/** Counts the UTF-8 bytes that are handed to the backend, and that it hands back. */
export class CountingDriver implements SessionDriver {
  written = 0
  returned = 0
  readonly #driver = new MemoryDriver()

  async read(...given: Parameters<MemoryDriver['read']>) {
    const stored = await this.#driver.read(...given)
    if (stored && stored !== 'unchanged') this.returned += bytesOf(stored)
    return stored
  }

  replace(...given: Parameters<MemoryDriver['replace']>) {
    this.written += bytesOf(given[1])
    return this.#driver.replace(...given)
  }

  append(...given: Parameters<MemoryDriver['append']>) {
    this.written += bytesOf(given[1])
    return this.#driver.append(...given)
  }

  delete(...given: Parameters<MemoryDriver['delete']>) {
    return this.#driver.delete(...given)
  }

  list(...given: Parameters<MemoryDriver['list']>) {
    return this.#driver.list(...given)
  }
}

const bytesOf = ({ head, entries }: { head: string; entries: readonly string[] }) =>
  [head, ...entries].reduce((sum, text) => sum + Buffer.byteLength(text), 0)

const note = tool({
  name: 'note',
  description: 'Notes a text.',
  parameters: { type: 'object' },
  execute: () => 'noted '.repeat(30),
})

const text = (what: string, turn: number) => `${what} ${turn} `.padEnd(200, 'lorem ipsum ')

/** The bytes written in each turn: a process starts, resumes, runs (a question, a call, an answer), saves and ends. */
export async function turnBytes(setup: TurnSetup, turns: number): Promise<number[]> {
  const driver = new CountingDriver()
  const bytes: number[] = []
  for (let turn = 1; turn <= turns; turn++) {
    const before = driver.written
    const storage = createStorage(driver)
    const agent = createAgent({
      modelClient: scriptedModel([
        { calls: [{ name: 'note', callId: `call ${turn}`, arguments: { turn } }] },
        text('answer', turn),
      ]),
      model: 'scripted',
      tools: [note],
      memorySupplier: (id) => TURN_SETUPS[setup](storage, id),
      sessionStore: storage.sessions(),
      autosave: 'off',
      ...(setup.includes('compacted') && { compactPolicy: new LatestPolicy(40) }),
    })
    const session = turn === 1 ? await agent.session('chat') : await agent.resumeSession('chat')
    await session.run(text('question', turn))
    await session.save()
    bytes.push(driver.written - before)
  }
  return bytes
}

/** Turns whose bytes are shown. */
export const SHOWN_TURNS: readonly number[] = [1, 50, 100, 250, 500]

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The last 50 turns against 50 early ones: from the 65th writer on a head names as many writers as it ever does. */
export const growthOf = (bytes: readonly number[]): number =>
  mean(bytes.slice(-50)) / mean(bytes.slice(70, 120))
