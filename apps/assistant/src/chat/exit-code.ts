import type { Outcome } from './turns.ts'

/** The program's exit codes; README.md and `--help` name them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** Calls wait for somebody to decide about them. */
  waiting: 3,
  /** What shells use for a program that Ctrl-C stopped. */
  stopped: 130,
} as const

export const exitCodeOf = (outcome: Outcome): number =>
  outcome === 'quit' ? EXIT.ok : EXIT[outcome]
