import assert from 'node:assert/strict'
import { MemoryDriver, type SessionDriver, type StoredSession, type Version } from '@holdfast/core'
import { takeSteps } from '../random-walk.ts'
import { Random } from '../wrappers/index.ts'
import { change, freshScope, numbered, state, within } from './cells.ts'
import type { DriverCase, DriverHarness } from './driver-harness.ts'

const STEPS = 400

/** A version as the driver answered it, and as the model did. */
interface Known {
  readonly real: Version
  readonly model: Version
}

/** What is compared: whatever a token holds is the driver's own business. */
const plain = (answer: StoredSession | Version | null | boolean | 'unchanged'): unknown => {
  if (typeof answer !== 'object' || answer === null) return answer
  return 'entries' in answer
    ? { revision: answer.revision, head: answer.head, entries: [...answer.entries] }
    : { revision: answer.revision }
}

/** One random walk over three cells, each step done by one of two processes and by the model. */
class Walk {
  readonly #random: Random
  readonly #harness: DriverHarness
  readonly #model = new MemoryDriver()
  readonly #scope = freshScope()
  readonly #ids = ['a', 'b', 'c'].map((name) => this.#scope + name)
  /** Every version that ever was, by id; the newest last. */
  readonly #versions = new Map<string, Known[]>(this.#ids.map((id) => [id, []]))

  constructor(seed: number, harness: DriverHarness) {
    this.#random = new Random(seed)
    this.#harness = harness
  }

  async step(): Promise<void> {
    const random = this.#random
    const driver = random.chance(0.5) ? this.#harness.driver : this.#harness.other
    const id = random.pick(this.#ids as [string, ...string[]])
    const kind = random.below(10)
    if (kind < 2) await this.#read(driver, id)
    else if (kind < 5) await this.#replace(driver, id)
    else if (kind < 8) await this.#append(driver, id)
    else if (kind < 9) await this.#delete(driver, id)
    else await this.#list(driver)
  }

  /** Mostly the current version; else an older one or none, which must be refused. */
  #expected(id: string): Known | undefined {
    const versions = this.#versions.get(id) ?? []
    if (this.#random.chance(0.75)) return versions.at(-1)
    return versions[this.#random.below(versions.length + 1)]
  }

  async #read(driver: SessionDriver, id: string): Promise<void> {
    const known = this.#expected(id)
    const options = {
      ...(known && this.#random.chance(0.5) ? { unless: known.real.revision } : {}),
      ...(this.#random.chance(0.5) ? { skip: this.#random.below(12) } : {}),
    }
    assert.deepEqual(
      plain(await driver.read(id, options)),
      plain(await this.#model.read(id, options)),
    )
  }

  async #compare(id: string, real: Version | false, model: Version | false): Promise<void> {
    assert.deepEqual(plain(real), plain(model))
    if (real && model) this.#versions.get(id)?.push({ real, model })
    assert.deepEqual(
      plain(await this.#harness.other.read(id)),
      plain(await this.#model.read(id)),
      'the stored state',
    )
  }

  async #replace(driver: SessionDriver, id: string): Promise<void> {
    const known = this.#random.chance(0.15) ? undefined : this.#expected(id)
    const next = state(numbered(this.#random.below(14), this.#random.below(1_000)))
    await this.#compare(
      id,
      await driver.replace(id, next, known?.real ?? null),
      await this.#model.replace(id, next, known?.model ?? null),
    )
  }

  async #append(driver: SessionDriver, id: string): Promise<void> {
    const known = this.#expected(id)
    if (!known || !driver.append) return this.#replace(driver, id)
    const stored = await this.#model.read(id)
    const count = stored && stored !== 'unchanged' ? stored.entries.length : 0
    const next = change(numbered(this.#random.below(4), this.#random.below(1_000)), {
      drop: this.#random.chance(0.5) ? 0 : this.#random.below(count + 1),
      head: JSON.stringify({ at: this.#random.below(1_000) }),
    })
    await this.#compare(
      id,
      await driver.append(id, next, known.real),
      await this.#model.append(id, next, known.model),
    )
  }

  async #delete(driver: SessionDriver, id: string): Promise<void> {
    const known = this.#expected(id)
    if (!known || !driver.delete) return this.#read(driver, id)
    assert.equal(await driver.delete(id, known.real), await this.#model.delete(id, known.model))
    assert.deepEqual(plain(await driver.read(id)), plain(await this.#model.read(id)))
  }

  async #list(driver: SessionDriver): Promise<void> {
    const query = { ...within(this.#scope), limit: 1 + this.#random.below(4) }
    const rows = async (from: SessionDriver) =>
      (await from.list(query)).map(({ id, head, revision }) => ({ id, head, revision }))
    assert.deepEqual(await rows(driver), await rows(this.#model))
  }
}

/** A random sequence of driver calls, compared with the in-memory driver. */
export const randomDriverCase = (seed: number): DriverCase => ({
  id: 'random-calls',
  name: `${STEPS} random calls answer what the in-memory model answers (seed ${seed})`,
  async run(harness) {
    const walk = new Walk(seed, harness)
    await takeSteps(walk, seed, STEPS)
  },
})
