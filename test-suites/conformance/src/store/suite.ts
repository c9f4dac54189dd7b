import { type BoundCase, prepare } from '../case.ts'
import { checkStoreConnection } from '../connection-shape.ts'
import { Connections } from '../connections.ts'
import { freshId } from '../fresh-id.ts'
import { chooseSeed } from '../wrappers/index.ts'
import { sessionStoreCases } from './cases.ts'
import { randomStoreCase } from './random-store.ts'
import type { SessionStoreConnection, SessionStoreHarness } from './session-store-harness.ts'

/** The stores under test. */
export interface AgentSessionStoreOptions {
  /**
   * Opens the storage under test. It is called twice over the same storage: two calls stand for two
   * processes.
   */
  open(): Promise<SessionStoreConnection>
  /** `1`: only one process may open this storage; it is opened once, and both processes share that. */
  readonly processes?: 1 | undefined
  /** Repeats the random sequence. Default: `HOLDFAST_SEED`, else a new one. */
  readonly seed?: number | undefined
}

/** The cases, ready to be run by anything. */
export interface AgentSessionStoreSuite {
  /** The random sequence is the last of them. */
  readonly cases: readonly BoundCase[]
  /** Of the random sequence. */
  readonly seed: number
  /** Opens the storage ahead of the first case, which else does so; rejects if it cannot be opened. */
  open(): Promise<void>
  /** Closes every connection that the cases opened. */
  close(): Promise<void>
}

/** Every session-store case, bound to stores that `open` opens when the first case runs. */
export function agentSessionStoreSuite(options: AgentSessionStoreOptions): AgentSessionStoreSuite {
  const seed = chooseSeed(options.seed)
  const connections = new Connections(
    async () => checkStoreConnection(await options.open()),
    options.processes ?? 2,
  )
  const harness = async (): Promise<SessionStoreHarness> => {
    const [first, second] = await connections.open()
    return { store: first.store, other: second.store, newId: () => freshId('s').slice(0, 38) }
  }
  const cases = prepare('session store', [...sessionStoreCases, randomStoreCase(seed)], harness)
  return {
    cases,
    seed,
    async open() {
      await connections.open()
    },
    close: () => connections.close(),
  }
}
