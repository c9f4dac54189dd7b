import { type AgentItem, type AgentMemory, InMemoryAgentMemory } from '@holdfast/core'
import { textOf } from '../memory/expect.ts'

const pause = () => new Promise((done) => setTimeout(done, 4))

type Input = Parameters<AgentMemory['addUserInput']>[0]

/** What an item is called in the journal: `user hello`, `call look`, `output of look: text`… */
export function label(item: AgentItem): string {
  if (item.type === 'function_call') return `call ${String(item['name'])}`
  if (item.type === 'function_call_output') return `output ${textOf(item)}`
  return `${String(item['role'] ?? item.type)} ${textOf(item)}`
}

/**
 * A memory that writes down when each write is done. Writes take a while, as over a network, and
 * reads do not wait for them: a loop that does not wait for a write is seen to go on too early.
 */
export class JournalMemory implements AgentMemory {
  readonly inner = new InMemoryAgentMemory()
  readonly journal: string[]

  constructor(journal: string[] = []) {
    this.journal = journal
  }

  async #write(write: () => Promise<void>): Promise<void> {
    await pause()
    const before = (await this.inner.snapshot()).items.length
    await write()
    const { items } = await this.inner.snapshot()
    const added = items.slice(before).map(label)
    if (added.length > 0) this.journal.push(`stored ${added.join(' + ')}`)
    await pause()
  }

  addUserInput(input: Input): Promise<void> {
    return this.#write(() => this.inner.addUserInput(input))
  }
  addOutputItems(items: readonly AgentItem[] | null | undefined): Promise<void> {
    return this.#write(() => this.inner.addOutputItems(items))
  }
  addToolOutput(
    callId: string | null | undefined,
    output: string | readonly AgentItem[],
  ): Promise<void> {
    return this.#write(() => this.inner.addToolOutput(callId, output))
  }
  getItems(): Promise<AgentItem[]> {
    return this.inner.getItems()
  }
  getSummary(): Promise<string | undefined> {
    return this.inner.getSummary()
  }
  clear(): Promise<void> {
    return this.inner.clear()
  }

  /** What is stored now. */
  async items(): Promise<AgentItem[]> {
    return [...(await this.inner.snapshot()).items]
  }
}
