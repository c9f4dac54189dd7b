import assert from 'node:assert/strict'
import type { AgentSessionSnapshot, AgentSessionStore } from '@holdfast/core'
import { user } from '../memory/expect.ts'
import { takeSteps } from '../random-walk.ts'
import { Random } from '../wrappers/index.ts'
import { assertSession, codeOf, grown, sessionOf } from './session-snapshots.ts'
import {
  type SessionStoreCase,
  type SessionStoreHarness,
  storeCase,
} from './session-store-harness.ts'

const STEPS = 200

/** What the store must hold for one id, and every revision that it ever answered for it. */
interface Model {
  readonly id: string
  stored: AgentSessionSnapshot | undefined
  current: string | undefined
  readonly old: string[]
}

/** A random walk over four sessions, each step done by one of two processes and by a model of plain assignments. */
class Walk {
  readonly #random: Random
  readonly #harness: SessionStoreHarness
  readonly #prefix: string
  readonly #models: readonly [Model, ...Model[]]
  #count = 0

  constructor(seed: number, harness: SessionStoreHarness) {
    this.#random = new Random(seed)
    this.#harness = harness
    const prefix = harness.newId()
    const model = (end: string): Model => ({
      id: `${prefix}${end}`,
      stored: undefined,
      current: undefined,
      old: [],
    })
    this.#prefix = prefix
    this.#models = [model('1'), model('10'), model(' a'), model('é')]
  }

  #process(): AgentSessionStore {
    return this.#random.chance(0.5) ? this.#harness.store : this.#harness.other
  }

  async step(): Promise<void> {
    const model = this.#random.pick(this.#models)
    const kind = this.#random.below(12)
    if (kind < 6) await this.#save(model)
    else if (kind < 7) await this.#create(model)
    else if (kind < 9) await this.#stale(model)
    else if (kind < 10) await this.#delete(model)
    else if (kind < 11) await this.#edited(model)
    else await this.#list()
    await this.#compare(this.#random.pick(this.#models))
  }

  async #compare({ id, stored, current }: Model): Promise<void> {
    const found = await this.#process().load(id)
    if (!stored) return assert.equal(found, undefined, 'something is stored')
    assert.equal(assertSession(found, stored).revision, current, 'the revision')
  }

  async compareAll(): Promise<void> {
    for (const model of this.#models) await this.#compare(model)
  }

  /** The next state of a session: more events, another memory, summary or attributes, in any mix. */
  #next({ id, stored }: Model): AgentSessionSnapshot {
    const random = this.#random
    const base = stored ?? sessionOf(id, random.below(4))
    const more = grown(base, '', random.below(4))
    const summary = random.chance(0.3) ? `summary ${this.#count}` : base.memory.summary
    const items = random.chance(0.15) ? [user(`own ${this.#count++}`)] : more.memory.items
    const attributes = random.chance(0.3) ? { count: this.#count++ } : base.metadata.attributes
    const { revision: _, ...rest } = more
    return {
      ...rest,
      memory: { items, ...(summary === undefined ? {} : { summary }) },
      metadata: { ...more.metadata, attributes },
    }
  }

  async #accepted(model: Model, next: AgentSessionSnapshot, expected?: string): Promise<void> {
    const given = expected === undefined ? next : { ...next, revision: expected }
    const { revision } = await this.#process().save(given)
    assert.ok(![model.current, ...model.old].includes(revision), 'a revision came twice')
    if (model.current !== undefined) model.old.push(model.current)
    model.stored = next
    model.current = revision
  }

  async #refused(next: AgentSessionSnapshot, why: string): Promise<void> {
    const code = await this.#process()
      .save(next)
      .then(() => 'accepted', codeOf)
    assert.equal(code, 'CONFLICT', why)
  }

  async #save(model: Model): Promise<void> {
    await this.#accepted(model, this.#next(model), model.current)
  }

  async #create(model: Model): Promise<void> {
    const next = this.#next(model)
    if (model.current === undefined) await this.#accepted(model, next)
    else await this.#refused(next, 'a creation over an existing session')
  }

  async #stale(model: Model): Promise<void> {
    if (model.old.length === 0) return
    const revision = this.#random.pick(model.old as [string, ...string[]])
    await this.#refused({ ...this.#next(model), revision }, 'a save over an old revision')
  }

  async #edited(model: Model): Promise<void> {
    const { stored, current } = model
    if (!stored || current === undefined || stored.events.length === 0) return
    const at = this.#random.below(stored.events.length)
    const events = stored.events.map((event, index) =>
      index === at ? { ...event, payload: { items: [user('edited') as never] } } : event,
    )
    await this.#refused({ ...stored, events, revision: current }, `an edited event ${at}`)
  }

  async #delete(model: Model): Promise<void> {
    const { id, current } = model
    assert.equal(await this.#process().delete(id), current !== undefined, 'the answer of delete')
    if (current !== undefined) model.old.push(current)
    model.stored = undefined
    model.current = undefined
  }

  async #list(): Promise<void> {
    const there = this.#models.filter(({ current }) => current !== undefined).map(({ id }) => id)
    const want = there.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const ids = await this.#process().listSessionIds()
    assert.deepEqual(
      ids.filter((id) => id.startsWith(this.#prefix)),
      want,
    )
  }
}

/** A random sequence of store calls by two processes, compared with a model. */
export const randomStoreCase = (seed: number): SessionStoreCase =>
  storeCase(
    'random-calls',
    `${STEPS} random calls on four sessions by two processes leave what the model holds (seed ${seed})`,
    async (harness) => {
      const walk = new Walk(seed, harness)
      await takeSteps(walk, seed, STEPS)
      await walk.compareAll()
    },
  )
