import assert from 'node:assert/strict'
import {
  type Agent,
  type AgentItem,
  type AgentSession,
  createStorage,
  MemoryDriver,
  StructuredCompactPolicy,
} from '@holdfast/core'
import { user } from '../memory/expect.ts'
import { takeSteps } from '../random-walk.ts'
import { Random } from '../wrappers/index.ts'
import { type AgentCase, type MakeAgent, sessionCase } from './agent-harness.ts'
import { calling, type Script } from './script.ts'
import { agentTool, assertFold, assertSequence, itemsOf, staging } from './session-stage.ts'
import { assertPaired, outputsIn } from './stage.ts'

const STEPS = 30

/** One session through a random sequence of operations, in ever new processes. */
class Walk {
  readonly #random: Random
  readonly #make: ReturnType<typeof staging>
  readonly #scripts: Script[] = []
  #session!: AgentSession
  #count = 0
  #last = 0

  constructor(seed: number, createAgent: MakeAgent) {
    this.#random = new Random(seed)
    const storage = createStorage(new MemoryDriver())
    const durable = this.#random.chance(0.5)
    const maxItems = 1 + this.#random.below(12)
    this.#make = staging(createAgent, {
      tools: [agentTool('a'), agentTool('b', async () => 'late')],
      ...(durable ? { memorySupplier: (id: string) => storage.memory(id) } : {}),
      ...(this.#random.chance(0.5) ? { budget: { maxItems } } : {}),
      ...(this.#random.chance(0.5)
        ? { compactPolicy: new StructuredCompactPolicy({ maxItems: 14, keepRecentItems: 4 }) }
        : {}),
    })
  }

  #agent(): Agent {
    const turn = () => {
      const kind = this.#random.below(3)
      if (kind === 0) return calling({ name: 'a', id: 'call_0' }, { name: 'b' })
      return kind === 1 ? calling('b') : `answer ${this.#count++}`
    }
    // A run ends at the first text: the last step is one, so that none goes on for ever.
    const { agent, script } = this.#make([...Array.from({ length: 40 }, () => turn), 'the end'])
    this.#scripts.push(script)
    return agent
  }

  async begin(): Promise<void> {
    this.#session = await this.#agent().newSession()
  }

  async step(): Promise<void> {
    const operations = [this.#run, this.#run, this.#run, this.#resume, this.#compact, this.#replace]
    const more = [this.#restore, this.#undo, this.#clear, this.#fork, this.#trim]
    const all = [...operations, ...more] as [() => Promise<void>]
    await this.#random.pick(all).call(this)
    await this.#check()
  }

  async #check(): Promise<void> {
    const { eventLog } = this.#session
    await assertFold(this.#session)
    assertSequence(eventLog.events)
    assert.ok(eventLog.lastSequence >= this.#last, 'the counter went back')
    this.#last = eventLog.lastSequence
    for (const { prompts } of this.#scripts) {
      for (const { items } of prompts.splice(0)) assertPaired(items)
    }
  }

  async #run(): Promise<void> {
    await this.#session.run(`input ${this.#count++}`).catch((error: { code?: unknown }) => {
      // A script that ended, as models do; what was stored stays.
      if (error.code !== 'MODEL_FAILED') throw error
    })
  }

  async #resume(): Promise<void> {
    await this.#session.save()
    const before = await this.#session.snapshot()
    this.#session = await this.#agent().resumeSession(this.#session.id)
    assert.deepEqual(await itemsOf(this.#session), before.memory.items, 'a resume changed memory')
    const { events } = this.#session.eventLog
    assert.deepEqual(events.slice(0, before.events.length), before.events)
  }

  async #compact(): Promise<void> {
    const policy = new StructuredCompactPolicy({ maxItems: 6, keepRecentItems: 2 })
    await this.#session.compact(policy)
  }

  async #replace(): Promise<void> {
    const outputs = outputsIn(await itemsOf(this.#session))
    const [output] = outputs.slice(this.#random.below(outputs.length))
    if (!output) return
    await this.#session.replaceToolOutput(String(output['call_id']), `shorter ${this.#count++}`)
  }

  async #restore(): Promise<void> {
    const items: AgentItem[] = [user(`restored ${this.#count++}`)]
    const summary = this.#random.chance(0.5) ? { summary: `summary ${this.#count++}` } : {}
    await this.#session.restore({ items, ...summary })
  }

  async #undo(): Promise<void> {
    const before = (await itemsOf(this.#session)).length
    const undone = await this.#session.undo()
    const after = (await itemsOf(this.#session)).length
    assert.equal(undone, after < before, 'the answer of undo')
  }

  async #clear(): Promise<void> {
    if (this.#random.chance(0.5)) await this.#session.clear()
  }

  async #fork(): Promise<void> {
    const before = await itemsOf(this.#session)
    const fork = await this.#session.fork(crypto.randomUUID())
    assert.deepEqual(await itemsOf(fork), before)
    const source = this.#session
    await fork.run('in the fork').catch(() => undefined)
    assert.deepEqual(await itemsOf(source), before, 'a fork changed its source')
    await source.flush()
    await fork.save()
    this.#session = fork
  }

  async #trim(): Promise<void> {
    const { events, lastSequence } = this.#session.eventLog
    const from = events[0]?.sequence ?? 0
    await this.#session.trimEvents(from + this.#random.below(lastSequence - from + 2))
  }
}

/** A random sequence of session operations; after each one the fold is the memory, and every prompt is paired. */
export const randomSessionsCase = (seed: number): AgentCase =>
  sessionCase(
    'random-sessions',
    `after each of ${STEPS} random operations on a session its log tells its memory, resumes change nothing, and every prompt is paired (seed ${seed})`,
    async (createAgent) => {
      const walk = new Walk(seed, createAgent)
      await walk.begin()
      await takeSteps(walk, seed, STEPS)
    },
  )
