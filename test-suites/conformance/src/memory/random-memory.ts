import assert from 'node:assert/strict'
import type { AgentItem, MemoryCompressor, MemorySnapshot } from '@holdfast/core'
import type { ConformanceCase } from '../case.ts'
import { takeSteps } from '../random-walk.ts'
import { Random } from '../wrappers/index.ts'
import { fold, lastItems } from './compressors.ts'
import { assistant, call, lasting, plain, swappable, user, whole } from './expect.ts'
import type { MemoryHarness, TestedMemory } from './memory-harness.ts'
import { type Compress, type Ending, MemoryModel } from './memory-model.ts'

const STEPS = 150
const SESSIONS = 2

/** One handle on one session, with the compressor that it has set. */
interface Handle {
  readonly name: string
  readonly memory: TestedMemory
  readonly model: MemoryModel
  compress: Compress | undefined
  /** The compressor answers a promise: calls behind an add may take effect before its compression. */
  slow: boolean
}

/** A call that was made, and how the model says it must end. */
interface Made {
  readonly what: string
  readonly real: Promise<unknown>
  readonly ending: Ending
}

interface Chosen {
  readonly what: string
  readonly real: MemoryCompressor | undefined
  readonly compress?: Compress
  readonly slow?: boolean
}

/** A random walk over two sessions, by one handle or, over two processes, three handles each. */
class Walk {
  readonly #random: Random
  readonly #harness: MemoryHarness
  readonly #handles: Handle[] = []
  readonly log: string[] = []
  #count = 0

  constructor(seed: number, harness: MemoryHarness) {
    this.#random = new Random(seed)
    this.#harness = harness
  }

  async open(): Promise<void> {
    const { persistent } = this.#harness.abilities
    for (let session = 0; session < SESSIONS; session++) {
      const id = this.#harness.newId()
      const model = new MemoryModel()
      const add = (name: string, memory: TestedMemory) =>
        this.#handles.push({
          name: `${session}${name}`,
          memory,
          model,
          compress: undefined,
          slow: false,
        })
      add('a', await this.#harness.open(id))
      if (!persistent) continue
      add('b', await this.#harness.open(id))
      add('c', await this.#harness.reopen(id))
    }
  }

  #pick(): Handle {
    return this.#random.pick(this.#handles as [Handle, ...Handle[]])
  }

  /** One call, or up to four on one handle that nobody awaits in between; then a look at everything. */
  async step(): Promise<void> {
    const handle = this.#pick()
    const calls = this.#random.chance(0.7) ? 1 : 2 + this.#random.below(3)
    const made: Made[] = []
    // With a slow compressor only one: what calls that nobody awaits see beside it is not settled.
    for (let n = 0; n < calls && !(n > 0 && handle.slow); n++) made.push(this.#call(handle))
    this.log.push(`${handle.name}: ${made.map(({ what }) => what).join(' + ')}`)
    const results = await Promise.allSettled(made.map(({ real }) => real))
    for (const [index, { what, ending }] of made.entries()) {
      compare(what, results[index] as PromiseSettledResult<unknown>, ending)
    }
    await this.#look(this.#pick())
  }

  async #look({ memory, model, name }: Handle): Promise<void> {
    assert.deepEqual(await memory.getItems(), model.shown(), `what ${name} shows`)
    assert.equal(await memory.getSummary(), model.state.summary, `the summary of ${name}`)
    if (!memory.snapshot) return
    const { items, summary } = model.state
    assert.deepEqual(plain(await memory.snapshot()), { items, summary }, `the state of ${name}`)
  }

  async lookAtAll(): Promise<void> {
    for (const handle of this.#handles) await this.#look(handle)
  }

  #call(handle: Handle): Made {
    const { abilities } = this.#harness
    const kinds = [this.#input, this.#input, this.#output, this.#tool, this.#nothing, this.#refused]
    kinds.push(this.#clear, this.#read)
    if (abilities.snapshot) kinds.push(this.#restore, this.#update, this.#summary)
    if (abilities.swap !== 'none') kinds.push(this.#swap)
    if (abilities.persistent) kinds.push(this.#delete, this.#adopt)
    return this.#random.pick(kinds as [Kind, ...Kind[]]).call(this, handle)
  }

  #text(): string {
    return `t${this.#count++}`
  }

  #items(count: number): AgentItem[] {
    const kinds = [user, assistant, call] as const
    return Array.from({ length: count }, () => this.#random.pick(kinds)(this.#text()))
  }

  #input({ memory, model, compress }: Handle): Made {
    const text = this.#text()
    const real = memory.addUserInput(text)
    return { what: 'addUserInput', real, ending: model.addInput(text, compress) }
  }

  #output({ memory, model, compress }: Handle): Made {
    const items = this.#items(1 + this.#random.below(5))
    const real = memory.addOutputItems(items)
    return { what: `addOutputItems ${items.length}`, real, ending: model.add(items, compress) }
  }

  #tool({ memory, model, compress }: Handle): Made {
    const [id, text] = [this.#text(), this.#text()]
    const real = memory.addToolOutput(id, text)
    return { what: 'addToolOutput', real, ending: model.addToolOutput(id, text, compress) }
  }

  #nothing({ memory, model, compress }: Handle): Made {
    const real = this.#random.chance(0.5)
      ? memory.addToolOutput(null, 'lost')
      : memory.addOutputItems([])
    return { what: 'add nothing', real, ending: model.addToolOutput(null, 'lost', compress) }
  }

  #refused({ memory }: Handle): Made {
    return this.#random.chance(0.5)
      ? {
          what: 'empty call id',
          real: memory.addToolOutput('', 'lost'),
          ending: { code: 'INVALID_ARGUMENT' },
        }
      : {
          what: 'no JSON',
          real: memory.addOutputItems([user('lost'), { type: 'x', at: new Date(0) }]),
          ending: { code: 'NOT_SERIALIZABLE' },
        }
  }

  #clear({ memory, model }: Handle): Made {
    return { what: 'clear', real: memory.clear(), ending: model.clear() }
  }

  #read({ memory, model }: Handle): Made {
    return { what: 'getItems', real: memory.getItems(), ending: { answer: model.shown() } }
  }

  #snapshot(): MemorySnapshot {
    const items = this.#items(1 + this.#random.below(6))
    return this.#random.chance(0.5) ? { items } : { items, summary: this.#text() }
  }

  #restore({ memory, model }: Handle): Made {
    const snapshot = this.#snapshot()
    const real = whole(memory).restore(snapshot)
    return { what: 'restore', real, ending: model.restore(snapshot) }
  }

  #update({ memory, model }: Handle): Made {
    const drop = this.#random.below(4)
    // Where nothing is stored, a change to nothing may create a memory or not.
    const added = this.#items(this.#random.below(3) + (model.state.lives ? 0 : 1))
    const keep = this.#random.chance(0.7)
    const change = ({ items, summary }: MemorySnapshot): MemorySnapshot => ({
      items: [...items.slice(drop), ...added],
      ...(keep && summary !== undefined ? { summary } : {}),
    })
    const real = whole(memory).update(change).then(plain)
    return { what: `update -${drop} +${added.length}`, real, ending: model.update(change) }
  }

  #summary({ memory, model }: Handle): Made {
    const summary = this.#random.chance(0.2) ? ' ' : this.#text()
    const real = whole(memory).setSummary(summary)
    return { what: 'setSummary', real, ending: model.setSummary(summary) }
  }

  #swap(handle: Handle): Made {
    const { what, real, compress, slow = false } = this.#compressor()
    const set = swappable(handle.memory).setCompressor(real)
    const ending =
      this.#harness.abilities.swap === 'eager'
        ? handle.model.rewrite(compress)
        : { answer: undefined }
    // A swap that failed leaves the compressor that was set.
    if ('answer' in ending) Object.assign(handle, { compress, slow })
    return { what: `swap to ${what}`, real: set, ending }
  }

  #compressor(): Chosen {
    const size = 1 + this.#random.below(6)
    const kind = this.#random.below(5)
    if (kind === 0) return { what: 'none', real: undefined }
    if (kind === 1) {
      const real: MemoryCompressor = {
        compress: () => {
          throw new Error('out of order')
        },
      }
      return { what: 'failing', real, compress: 'fails' }
    }
    if (kind === 2) return { what: 'fold', real: { compress: fold }, compress: fold }
    const compress = lastItems(size)
    return kind === 3
      ? { what: `window ${size}`, real: { compress }, compress }
      : {
          what: `slow window ${size}`,
          real: { compress: async (given) => compress(given) },
          compress,
          slow: true,
        }
  }

  #delete({ memory, model }: Handle): Made {
    return { what: 'delete', real: lasting(memory).delete(), ending: model.delete() }
  }

  #adopt({ memory, model }: Handle): Made {
    const snapshot = this.#snapshot()
    const real = lasting(memory).adopt(snapshot)
    return { what: 'adopt', real, ending: model.adopt(snapshot) }
  }
}

type Kind = (handle: Handle) => Made

function compare(what: string, result: PromiseSettledResult<unknown>, ending: Ending): void {
  if (result.status === 'fulfilled') {
    assert.ok('answer' in ending, `${what} resolved, where ${JSON.stringify(ending)} was due`)
    assert.deepEqual(result.value, ending.answer, `the answer of ${what}`)
    return
  }
  if ('answer' in ending) throw result.reason
  const { code, outcome } = result.reason as { code?: string; outcome?: string }
  assert.equal(code, ending.code, `the error of ${what}`)
  if (ending.outcome) assert.equal(outcome, ending.outcome, `the outcome of ${what}`)
}

/** A random sequence of memory calls, compared with the model: states, answers and errors. `steps`: how long it is. */
export const randomMemoryCase = (
  seed: number,
  steps: number = STEPS,
): ConformanceCase<MemoryHarness> => ({
  id: 'memory-random-calls',
  name: `${steps} random steps leave, answer and refuse what the model does (seed ${seed})`,
  async run(harness) {
    const walk = new Walk(seed, harness)
    await walk.open()
    await takeSteps(walk, seed, steps)
    await walk.lookAtAll()
  },
})
