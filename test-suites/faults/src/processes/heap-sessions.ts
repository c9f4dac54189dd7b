/** Opens, runs, saves and drops sessions, and prints what of the heap is in use before and after. Needs `--expose-gc`. */
import {
  createAgent,
  createStorage,
  InMemoryAgentMemory,
  type ModelClient,
  scriptedModel,
  tool,
} from '@holdfast/core'
import { openBackend } from './backends.ts'
import { orders } from './child.ts'

export interface HeapOrders {
  readonly memory: 'in-memory' | 'durable'
  readonly sessions: number
  /** Sessions before the heap is measured first: by then all that is made once has been made. */
  readonly warmUp: number
}

export interface HeapReport {
  /** Bytes of the heap in use, after a collection. */
  readonly before: number
  readonly after: number
  readonly seconds: number
}

const { memory, sessions, warmUp } = await orders<HeapOrders>()
// In the memory of SQLite, which is none of this heap.
const { driver, close } = await openBackend('sqlite', ':memory:')
const storage = createStorage(driver)

const model: ModelClient = {
  create: (prompt, options) =>
    scriptedModel([
      prompt.items.length === 1 && JSON.stringify(prompt.items).includes('Look')
        ? { calls: [{ name: 'look', arguments: { where: 'everywhere' } }] }
        : 'Done.',
    ]).create(prompt, options),
}

const agent = createAgent({
  modelClient: model,
  model: 'scripted',
  tools: [
    tool({
      name: 'look',
      description: 'Looks.',
      parameters: { type: 'object' },
      execute: () => 'x'.repeat(1_000),
    }),
  ],
  sessionStore: storage.sessions(),
  memorySupplier: (id) => (memory === 'durable' ? storage.memory(id) : new InMemoryAgentMemory()),
  listeners: [() => {}],
})

let count = 0
async function use(many: number): Promise<void> {
  for (let at = 0; at < many; at++) {
    const session = await agent.session(`session ${count++}`)
    await session.run(count % 4 ? 'Say something.' : 'Look around.')
    await session.flush()
  }
}

/** What finalizers hold is free one collection later. */
async function inUse(): Promise<number> {
  for (let times = 0; times < 4; times++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return process.memoryUsage().heapUsed
}

if (!globalThis.gc) throw new Error('node needs --expose-gc')
await use(warmUp)
const before = await inUse()
const begin = performance.now()
await use(sessions)
const seconds = (performance.now() - begin) / 1_000
const report: HeapReport = { before, after: await inUse(), seconds }
console.log(JSON.stringify(report))
close()
