import { HoldfastError } from '@holdfast/core'
import { type AgentHarness, agentSuite } from '../agent/index.ts'
import type { BoundCase } from '../case.ts'
import { type SessionDriverOptions, sessionDriverSuite } from '../driver/index.ts'
import type { Limits } from '../limits.ts'
import { type AgentMemorySuiteOptions, agentMemorySuite } from '../memory/index.ts'
import { type AgentSessionStoreOptions, agentSessionStoreSuite } from '../store/index.ts'

export const KINDS = ['driver', 'memory', 'store', 'agent'] as const
export type Kind = (typeof KINDS)[number]

interface Of<K extends Kind, O> {
  readonly kind: K
  readonly options: O
  readonly limits: Limits
}

/** What a module exports for the command, told apart by its kind. */
export type CommandHarness =
  | Of<'driver', SessionDriverOptions>
  | Of<'memory', AgentMemorySuiteOptions>
  | Of<'store', AgentSessionStoreOptions>
  | Of<'agent', AgentHarness>

type Exported = Partial<
  SessionDriverOptions & AgentMemorySuiteOptions & AgentSessionStoreOptions & AgentHarness
> & { readonly limits?: Limits }

export interface CommandSuite {
  readonly cases: readonly BoundCase[]
  readonly seed: number
  readonly limits: Limits
  open(): Promise<void>
  close(): Promise<void>
}

const wrong = (message: string) => new HoldfastError('INVALID_ARGUMENT', message)

/** The method by which each kind of harness is known. */
const DOORS = { driver: 'connect', memory: 'connect', store: 'open', agent: 'run' } as const

/** What a method says about the kind. */
const SAYS = { connect: 'driver or memory', open: 'store', run: 'agent' } as const

/** Only a store is opened, only an agent is run, and only a memory says how it swaps compressors. */
function guess(harness: Exported, path: string): Kind {
  const doors = (['connect', 'open', 'run'] as const).filter(
    (it) => typeof harness[it] === 'function',
  )
  if (doors.length > 1) {
    const said = doors.map((it) => `${it}() (${SAYS[it]})`).join(' and ')
    throw wrong(`${path} has ${said}: say by --kind which it is (${KINDS.join(', ')}).`)
  }
  if (typeof harness.connect === 'function') return harness.swap === undefined ? 'driver' : 'memory'
  return typeof harness.run === 'function' ? 'agent' : 'store'
}

/** The harness in `exported`; `INVALID_ARGUMENT` says what is missing. */
export function harnessOf(exported: unknown, kind: Kind | undefined, path: string): CommandHarness {
  const harness = exported as Exported
  const known =
    typeof harness === 'object' &&
    harness !== null &&
    (kind ? [DOORS[kind]] : Object.values(DOORS)).some((it) => typeof harness[it] === 'function')
  if (!known) {
    const doors = kind
      ? `a method ${DOORS[kind]}()`
      : 'a method connect() (a driver or a memory), open() (a session store) or run() (an agent)'
    throw wrong(`${path} must export by default an object with ${doors}.`)
  }
  const limits = harness.limits ?? {}
  if (typeof limits !== 'object') throw wrong(`${path}: limits must be an object.`)
  const guessed = kind ?? guess(harness, path)
  if (guessed === 'agent') return agentHarness(harness as AgentHarness, limits, path)
  if (guessed === 'memory') return memoryHarness(harness as AgentMemorySuiteOptions, limits, path)
  if (harness.processes !== undefined && harness.processes !== 1) {
    throw wrong(`${path}: processes must be 1 or absent.`)
  }
  return guessed === 'store'
    ? { kind: guessed, options: harness as AgentSessionStoreOptions, limits }
    : { kind: guessed, options: harness as SessionDriverOptions, limits }
}

function memoryHarness(
  options: AgentMemorySuiteOptions,
  limits: Limits,
  path: string,
): CommandHarness {
  const swaps: readonly unknown[] = ['lazy', 'eager', 'none']
  if (
    typeof options.persistent !== 'boolean' ||
    typeof options.snapshot !== 'boolean' ||
    !swaps.includes(options.swap)
  ) {
    throw wrong(
      `${path}: a memory harness says persistent (boolean), snapshot (boolean) and swap ('lazy', 'eager' or 'none').`,
    )
  }
  return { kind: 'memory', options, limits }
}

function agentHarness(options: AgentHarness, limits: Limits, path: string): CommandHarness {
  if (options.createAgent !== undefined && typeof options.createAgent !== 'function') {
    throw wrong(`${path}: createAgent must be a function or absent.`)
  }
  return { kind: 'agent', options, limits }
}

export function suiteOf(harness: CommandHarness, seed: number | undefined): CommandSuite {
  const { cases, seed: used, open, close } = boundSuite(harness, seed)
  return { cases, seed: used, limits: harness.limits, open: () => open(), close: () => close() }
}

const nothing = async () => {}

/** The harness may be a class instance: its methods must keep their `this`. */
function boundSuite({ kind, options }: CommandHarness, seed: number | undefined) {
  switch (kind) {
    case 'driver': {
      const { processes } = options
      return sessionDriverSuite({ connect: () => options.connect(), processes, seed })
    }
    case 'memory': {
      const { persistent, swap, snapshot } = options
      const connect = () => options.connect()
      return agentMemorySuite({ connect, persistent, swap, snapshot, seed })
    }
    case 'store': {
      const { processes } = options
      return agentSessionStoreSuite({ open: () => options.open(), processes, seed })
    }
    case 'agent': {
      const { createAgent } = options
      const bound: AgentHarness = {
        run: (request) => options.run(request),
        ...(createAgent && { createAgent: (given) => createAgent.call(options, given) }),
      }
      return { ...agentSuite(bound, seed), open: nothing, close: nothing }
    }
  }
}
