import {
  createStorage,
  type DurableAgentMemory,
  type SessionDriver,
  type Storage,
} from '@holdfast/core'
import { type FaultCounts, faultDriver, noFaults } from '../fault-driver.ts'
import { LateRequests } from '../late-requests.ts'
import { Oracle } from '../oracle/oracle.ts'
import type { Violation, ViolationKind } from '../oracle/verdicts.ts'
import { Random } from '../random.ts'
import { VirtualTime } from '../virtual-time.ts'
import { endCheck } from './end-check.ts'
import { soakWriter } from './soak-writer.ts'

export interface SoakOptions {
  readonly seed: number
  /** Acknowledged items after which the writers stop. */
  readonly items: number
  /** Connections to one and the same backend; two of them stand for two processes. */
  readonly connections: readonly SessionDriver[]
  readonly writers?: number
  /** How many ids are in use at a time. */
  readonly sessions?: number
  /** Faults of a storage are picked from these rates. */
  readonly rates?: readonly number[]
  readonly progress?: (acknowledged: number) => void
}

export interface SoakReport {
  readonly seed: number
  readonly acknowledged: number
  readonly unknown: number
  readonly refused: number
  readonly commits: number
  readonly lateCommits: number
  readonly audits: number
  readonly reads: number
  readonly failedReads: number
  readonly storages: number
  readonly sessions: number
  /** How often each call was made. */
  readonly calls: Readonly<Record<string, number>>
  readonly faults: FaultCounts
  readonly accused: Readonly<Record<ViolationKind, number>>
  readonly violations: readonly Violation[]
  /** Names the whole history: the same seed gives the same digest. */
  readonly digest: string
}

/** One process of the soak: a storage with its own faults. */
export interface SoakStorage {
  readonly name: string
  readonly storage: Storage
}

/** What the writers of one run share. */
export class Soak {
  readonly oracle = new Oracle()
  readonly late = new LateRequests()
  readonly faults = noFaults()
  readonly calls: Record<string, number> = {}
  readonly ids: string[] = []
  /** Handles stay referenced: when the garbage collector runs must not change what a seed does. */
  readonly held: DurableAgentMemory[] = []
  readonly random: Random
  readonly options: SoakOptions
  reads = 0
  failedReads = 0
  storages = 0
  #sessions = 0

  constructor(options: SoakOptions) {
    this.options = options
    this.random = new Random(options.seed)
    for (let at = 0; at < (options.sessions ?? 16); at++) this.ids.push(this.freshId())
  }

  get done(): boolean {
    return this.oracle.counts.acknowledged >= this.options.items || this.oracle.verdicts.enough
  }

  freshId(): string {
    return `session ${this.#sessions++}`
  }

  get sessions(): number {
    return this.#sessions
  }

  /** A storage of its own, as a process that starts has it. */
  freshStorage(): SoakStorage {
    const { random, oracle, late, faults: counts, options } = this
    const name = `storage ${this.storages++}`
    const driver = faultDriver(random.pick(options.connections), {
      random,
      rate: random.pick(options.rates ?? [0.3, 0.4, 0.5]),
      late,
      oracle,
      counts,
      storage: name,
      append: random.chance(0.8),
    })
    const attempts = random.chance(0.2) ? 4 : Number.POSITIVE_INFINITY
    return { name, storage: createStorage(driver, { attempts }) }
  }
}

/** Runs writers over faulty connections until enough items are acknowledged, then looks at everything once more. */
export function runSoak(options: SoakOptions): Promise<SoakReport> {
  const soak = new Soak(options)
  return new VirtualTime().run(soak.random, async () => {
    const count = options.writers ?? 24
    // Writers of one storage share its cells, those of different ones meet in the backend.
    const shared = Array.from({ length: Math.ceil(count / 3) }, () => soak.freshStorage())
    const writers = Array.from({ length: count }, (_, writer) => {
      const storage = shared[writer % shared.length] as SoakStorage
      return soakWriter(soak, writer, storage)
    })
    await Promise.all(writers)
    await endCheck(soak)
    return reportOf(soak)
  })
}

function reportOf({ options, oracle, faults, calls, ...soak }: Soak): SoakReport {
  return {
    seed: options.seed,
    ...oracle.counts,
    reads: soak.reads,
    failedReads: soak.failedReads,
    storages: soak.storages,
    sessions: [...oracle.cells()].length,
    calls,
    faults,
    accused: oracle.verdicts.counts,
    violations: oracle.verdicts.violations,
    digest: oracle.digest,
  }
}
