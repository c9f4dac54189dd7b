import assert from 'node:assert/strict'
import {
  type AgentItem,
  type DurableAgentMemory,
  functionCallOutput,
  type MemorySnapshot,
  type StorageScope,
  userMessage,
  WindowedMemoryCompressor,
} from '@holdfast/core'
import { freshId } from '../../fresh-id.ts'
import { takeSteps } from '../../random-walk.ts'
import { Random } from '../../wrappers/index.ts'
import { failure, note, notes, type StorageCase, type StorageHarness } from './storage-harness.ts'

const STEPS = 120
const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

/** What one memory must hold, in a few lines and without a store. */
interface Model {
  items: AgentItem[]
  summary?: string
  /** There is a session. */
  lives: boolean
  /** There was one, ever. */
  touched: boolean
}

/** One handle in one process, with the window that it has set. */
interface Handle {
  readonly memory: DurableAgentMemory
  readonly model: Model
  window?: number
}

class Walk {
  readonly #random: Random
  readonly #scopes: readonly StorageScope[]
  readonly #models = new Map<Name, Model>(
    NAMES.map((name) => [name, { items: [], lives: false, touched: false }]),
  )
  readonly #handles: Handle[]
  #count = 0

  constructor(seed: number, harness: StorageHarness) {
    this.#random = new Random(seed)
    const token = freshId('walk')
    this.#scopes = [harness.open().scope(token), harness.reopen().scope(token)]
    this.#handles = this.#scopes.flatMap((scope) =>
      NAMES.map((name) => ({
        memory: scope.memory(name),
        model: this.#models.get(name) ?? assert.fail(),
      })),
    )
  }

  /** Does one step, and says which it was. */
  async step(): Promise<void> {
    const random = this.#random
    const handle = random.pick(this.#handles as [Handle, ...Handle[]])
    const kinds = [
      ...[this.#addOutput, this.#addOutput, this.#addInput, this.#addToolOutput],
      ...[this.#setSummary, this.#clear, this.#restore, this.#update, this.#swap],
      ...[this.#delete, this.#adopt, this.#refused, this.#list],
    ] as const
    await random.pick(kinds as unknown as [(handle: Handle) => Promise<void>]).call(this, handle)
    await this.#compare(random.pick(this.#handles as [Handle, ...Handle[]]))
  }

  async compareAll(): Promise<void> {
    for (const handle of this.#handles) await this.#compare(handle)
  }

  async #compare({ memory, model }: Handle): Promise<void> {
    const { items, summary } = await memory.snapshot()
    assert.deepEqual({ items, summary }, { items: model.items, summary: model.summary })
  }

  #wrote({ model, window }: Handle, added: readonly AgentItem[]): void {
    model.items.push(...added)
    if (window !== undefined) model.items = model.items.slice(-window)
    model.lives = model.touched = true
  }

  async #addOutput(handle: Handle): Promise<void> {
    const items = notes(1 + this.#random.below(3), this.#count)
    this.#count += items.length
    await handle.memory.addOutputItems(items)
    this.#wrote(handle, items)
  }

  async #addInput(handle: Handle): Promise<void> {
    const text = `input ${this.#count++}`
    await handle.memory.addUserInput(text)
    this.#wrote(handle, [userMessage(text)])
  }

  async #addToolOutput(handle: Handle): Promise<void> {
    const callId = `call ${this.#count++}`
    await handle.memory.addToolOutput(callId, 'output')
    this.#wrote(handle, [functionCallOutput(callId, 'output')])
  }

  async #setSummary({ memory, model }: Handle): Promise<void> {
    model.summary = `summary ${this.#count++}`
    model.lives = model.touched = true
    await memory.setSummary(model.summary)
  }

  async #clear({ memory, model }: Handle): Promise<void> {
    await memory.clear()
    model.items = []
    delete model.summary
  }

  async #restore({ memory, model }: Handle): Promise<void> {
    const items = notes(1 + this.#random.below(9), this.#count)
    this.#count += items.length
    const withSummary = this.#random.chance(0.5)
    await memory.restore(withSummary ? { items, summary: 'restored' } : { items })
    model.items = items
    if (withSummary) model.summary = 'restored'
    else delete model.summary
    model.lives = model.touched = true
  }

  async #update({ memory, model }: Handle): Promise<void> {
    const drop = this.#random.below(3)
    const added = note(this.#count++)
    const change = (current: MemorySnapshot): MemorySnapshot => ({
      ...current,
      items: [...current.items.slice(drop), added],
    })
    const answer = await memory.update(change)
    model.items = [...model.items.slice(drop), added]
    model.lives = model.touched = true
    assert.deepEqual(answer.items, model.items)
  }

  async #swap(handle: Handle): Promise<void> {
    if (this.#random.chance(0.4)) {
      await handle.memory.setCompressor(undefined)
      delete handle.window
      return
    }
    handle.window = 1 + this.#random.below(8)
    await handle.memory.setCompressor(new WindowedMemoryCompressor(handle.window))
    handle.model.items = handle.model.items.slice(-handle.window)
  }

  async #delete({ memory, model }: Handle): Promise<void> {
    assert.equal(await memory.delete(), model.lives, 'the answer of delete')
    model.items = []
    delete model.summary
    model.lives = false
  }

  async #adopt({ memory, model }: Handle): Promise<void> {
    const items = notes(2, this.#count)
    this.#count += 2
    assert.equal(await memory.adopt({ items }), !model.touched, 'the answer of adopt')
    if (model.touched) return
    model.items = items
    model.lives = model.touched = true
  }

  async #refused({ memory }: Handle): Promise<void> {
    assert.equal((await failure(memory.addToolOutput('', 'x')))?.code, 'INVALID_ARGUMENT')
    const bad = [note('fine'), { type: 'note', at: new Date(0) }]
    assert.equal((await failure(memory.addOutputItems(bad)))?.code, 'NOT_SERIALIZABLE')
  }

  async #list(): Promise<void> {
    const want = NAMES.filter((name) => this.#models.get(name)?.lives)
    for (const scope of this.#scopes) {
      const { memories } = await scope.listMemories()
      assert.deepEqual(
        memories.map((it) => it.id),
        want,
      )
    }
  }
}

/** A random sequence of memory calls by two processes, compared with a model. */
export const randomStorageCase = (seed: number): StorageCase => ({
  id: 'random-memories',
  name: `${STEPS} random calls on three memories by two processes leave what the model holds (seed ${seed})`,
  async run(harness) {
    const walk = new Walk(seed, harness)
    await takeSteps(walk, seed, STEPS)
    await walk.compareAll()
  },
})
