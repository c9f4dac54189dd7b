import { type BoundCase, prepare } from '../case.ts'
import { agentMemoryCases } from '../memory/index.ts'
import { randomStoreCase, sessionStoreCases } from '../store/index.ts'
import { chooseSeed, Random, slow, withoutAppend } from '../wrappers/index.ts'
import { sessionDriverCases } from './cases.ts'
import type { DriverConnection } from './driver-harness.ts'
import { randomDriverCase } from './random-driver.ts'
import { SharedConnection } from './shared-connection.ts'
import { randomStorageCase, storageCases } from './storage/index.ts'
import { memoryHarness, sessionStoreHarness, storageHarness, VARIANTS } from './variants.ts'

/** The storage under test. */
export interface SessionDriverOptions {
  /**
   * Opens the storage under test. It is called more than once over the same storage: two calls stand
   * for two processes.
   */
  connect(): Promise<DriverConnection>
  /** `1`: only one process may open this storage; it is opened once, and both processes share that. */
  readonly processes?: 1 | undefined
  /** Repeats random sequences and faults. Default: `HOLDFAST_SEED`, else a new one. */
  readonly seed?: number | undefined
}

/** The cases, ready to be run by anything. */
export interface SessionDriverSuite {
  /** In the order in which they are best run: the plain ones first. */
  readonly cases: readonly BoundCase[]
  /** Of the random sequences and faults. */
  readonly seed: number
  /** Opens the storage ahead of the first case, which else does so; rejects if it cannot be opened. */
  open(): Promise<void>
  /** Closes every connection that the cases opened. */
  close(): Promise<void>
}

/** Cases that move much: seconds on a remote server, so not in every variant. */
const HEAVY: ReadonlySet<string> = new Set([
  'long-texts',
  'memory-keeps-20-megabytes',
  'order-replace-long',
  'order-append-long',
  'store-bytes-per-save',
  'store-keeps-5-megabytes',
  'store-keeps-order',
  'store-lists-full-pages',
])

/** Every run of every case: the driver's own, then core, its memories and its session store over it in each variant. */
export function sessionDriverSuite(options: SessionDriverOptions): SessionDriverSuite {
  const seed = chooseSeed(options.seed)
  const connection = new SharedConnection(() => options.connect(), options.processes)
  const bare = () => connection.harness((driver) => driver)
  const light = sessionDriverCases.filter((it) => !HEAVY.has(it.id))
  const racing = sessionDriverCases.filter((it) => it.race)

  const cases = [
    ...prepare('driver', [...sessionDriverCases, randomDriverCase(seed)], bare),
    ...prepare('driver without append', [...light, randomDriverCase(seed)], () =>
      connection.harness(withoutAppend),
    ),
    ...prepare('driver, slow', racing, () => {
      const random = new Random(seed)
      return connection.harness((driver) => slow(driver, random))
    }),
    ...VARIANTS.flatMap((variant, index) => {
      const walk = randomStorageCase((seed + index) >>> 0)
      // A scope changes ids alone, so what is heavy is not moved there once more.
      const own = storageCases.filter((it) => !variant.scoped || !HEAVY.has(it.id))
      const whole = ['plain', 'encrypted'].includes(variant.name)
      const memories = agentMemoryCases.filter((it) => whole || !HEAVY.has(it.id))
      const stores = sessionStoreCases.filter((it) => whole || !HEAVY.has(it.id))
      const sequence = randomStoreCase((seed + index) >>> 0)
      return [
        ...prepare(`storage, ${variant.name}`, variant.faulty ? [walk] : [...own, walk], async () =>
          storageHarness(variant, await bare(), new Random(seed)),
        ),
        ...prepare(`memory, ${variant.name}`, memories, async () =>
          memoryHarness(variant, await bare(), new Random(seed)),
        ),
        ...prepare(`sessions, ${variant.name}`, [...stores, sequence], async () =>
          sessionStoreHarness(variant, await bare(), new Random(seed)),
        ),
      ]
    }),
  ]
  return { cases, seed, open: () => connection.open(), close: () => connection.close() }
}
