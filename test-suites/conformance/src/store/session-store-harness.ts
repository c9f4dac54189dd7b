import type { AgentSessionStore } from '@holdfast/core'
import type { ConformanceCase } from '../case.ts'

/** What a store's maker gives the suite: one opened store. */
export interface SessionStoreConnection {
  /** The store, ready to work. */
  readonly store: AgentSessionStore
  /** Closes what `open` opened. */
  close(): Promise<void>
}

/** UTF-8 bytes of heads and entries that passed between the stores and their driver. */
export interface Traffic {
  /** From the stores to their driver. */
  written: number
  /** From the driver to the stores. */
  read: number
}

/** What a session-store case works on. */
export interface SessionStoreHarness {
  /** The store in the first process. */
  readonly store: AgentSessionStore
  /** The same storage, opened in a second process; the same object where only one process may open it. */
  readonly other: AgentSessionStore
  /** An id that nobody used before: at most 40 ASCII letters, digits and hyphens. */
  newId(): string
  /** Grows as the stores work. Known only where the suite stands between a store and a driver that has `append`. */
  readonly traffic?: Traffic | undefined
}

/** A rule of session stores. */
export type SessionStoreCase = ConformanceCase<SessionStoreHarness>

type Run = (harness: SessionStoreHarness) => Promise<void>

/** Makes a case; `id` gets its `store-` in front. */
export const storeCase = (id: string, name: string, run: Run): SessionStoreCase => ({
  id: `store-${id}`,
  name,
  run,
})

/** A case about several writers at once: it cannot be declared away. */
export const storeRace = (id: string, name: string, run: Run): SessionStoreCase => ({
  ...storeCase(id, name, run),
  race: true,
})

/** A case about what goes over the wire. */
export const measuredCase = (
  id: string,
  name: string,
  run: (traffic: Traffic, harness: SessionStoreHarness) => Promise<void>,
): SessionStoreCase => ({
  ...storeCase(id, name, ({ traffic = { written: 0, read: 0 }, ...rest }) =>
    run(traffic, { ...rest, traffic }),
  ),
  applies: ({ traffic }) =>
    traffic !== undefined || 'it is measured over a driver with append alone',
})
