import { HoldfastError } from '@holdfast/core'
import type { BoundCase } from '../case.ts'
import { type SessionDriverOptions, sessionDriverSuite } from '../driver/index.ts'
import type { Limits } from '../limits.ts'
import { type AgentMemorySuiteOptions, agentMemorySuite } from '../memory/index.ts'

export type Kind = 'driver' | 'memory'

/** What a module exports for the command, told apart by its kind. */
export type CommandHarness =
  | { readonly kind: 'driver'; readonly options: SessionDriverOptions; readonly limits: Limits }
  | { readonly kind: 'memory'; readonly options: AgentMemorySuiteOptions; readonly limits: Limits }

export interface CommandSuite {
  readonly cases: readonly BoundCase[]
  readonly seed: number
  readonly limits: Limits
  open(): Promise<void>
  close(): Promise<void>
}

const wrong = (message: string) => new HoldfastError('INVALID_ARGUMENT', message)

/** The harness in `exported`; `INVALID_ARGUMENT` says what is missing. Only a memory says how it swaps compressors. */
export function harnessOf(exported: unknown, kind: Kind | undefined, path: string): CommandHarness {
  const harness = exported as Partial<SessionDriverOptions & AgentMemorySuiteOptions> & {
    readonly limits?: Limits
  }
  if (typeof harness !== 'object' || harness === null || typeof harness.connect !== 'function') {
    throw wrong(`${path} must export by default an object with a method connect().`)
  }
  const limits = harness.limits ?? {}
  if (typeof limits !== 'object') throw wrong(`${path}: limits must be an object.`)
  const guessed = kind ?? (harness.swap === undefined ? 'driver' : 'memory')
  if (guessed === 'driver') {
    const options = harness as SessionDriverOptions
    if (options.processes !== undefined && options.processes !== 1) {
      throw wrong(`${path}: processes must be 1 or absent.`)
    }
    return { kind: guessed, options, limits }
  }
  const options = harness as AgentMemorySuiteOptions
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
  return { kind: guessed, options, limits }
}

export function suiteOf(harness: CommandHarness, seed: number | undefined): CommandSuite {
  // The harness may be a class instance: its methods must keep their `this`.
  const suite =
    harness.kind === 'driver'
      ? sessionDriverSuite({
          connect: () => harness.options.connect(),
          processes: harness.options.processes,
          seed,
        })
      : agentMemorySuite({
          connect: () => harness.options.connect(),
          persistent: harness.options.persistent,
          swap: harness.options.swap,
          snapshot: harness.options.snapshot,
          ...(seed === undefined ? {} : { seed }),
        })
  return {
    cases: suite.cases,
    seed: suite.seed,
    limits: harness.limits,
    open: () => suite.open(),
    close: () => suite.close(),
  }
}
