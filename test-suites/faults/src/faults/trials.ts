import { appendRace } from './append-race.ts'
import { breakNetwork } from './broken-network.ts'
import { type Counts, isClean } from './ledger.ts'
import { randomSequences } from './random-sequences.ts'
import { killServer } from './server-kills.ts'
import type { Trial } from './trial.ts'
import { killWriters } from './writer-kills.ts'

/** The trials by their letters. */
export const LETTERS = ['a', 'b', 'c', 'd', 'e'] as const
export type Letter = (typeof LETTERS)[number]

/** How much of each. */
export interface Form {
  readonly race: { readonly processes: number; readonly writers: number; readonly appends: number }
  readonly writerKills: number
  readonly runs: number
  readonly serverKills: number
  readonly sequences: number
}

/** In the test command: seconds per backend. */
export const SHORT: Form = {
  race: { processes: 2, writers: 4, appends: 5 },
  writerKills: 4,
  runs: 1,
  serverKills: 1,
  sequences: 8,
}

/** `npm run faults`: minutes per backend. */
export const LONG: Form = {
  race: { processes: 4, writers: 8, appends: 50 },
  writerKills: 50,
  runs: 3,
  serverKills: 5,
  sequences: 2_000,
}

/** What a trial came to. */
export interface Outcome {
  readonly clean: boolean
  /** The cell of the table. */
  readonly text: string
  /** All that was counted, as JSON. */
  readonly details: string
}

function outcome(counts: Counts, more = ''): Outcome {
  const { acknowledged, lost, doubled, unknown, stray, disordered } = counts
  const wrong = stray + disordered > 0 ? `, ${stray} stray, ${disordered} out of order` : ''
  return {
    clean: isClean(counts),
    text: `${acknowledged} acknowledged, ${lost} lost, ${doubled} doubled, ${unknown} unknown${wrong}${more}`,
    details: JSON.stringify(counts),
  }
}

async function networkRuns(trial: Trial, runs: number): Promise<Outcome> {
  let total: Record<string, number> = {}
  for (let run = 0; run < runs; run++) {
    const counts = await breakNetwork({ ...trial, session: `${trial.session} ${run}` })
    total = Object.fromEntries(
      Object.entries(counts).map(([name, count]) => [name, count + (total[name] ?? 0)]),
    )
  }
  const { answers = 0, cut = 0, delayed = 0, swallowed = 0, ranUnasked = 0 } = total
  const broken = `; of ${answers} answers ${cut} cut, ${delayed} late, ${swallowed} swallowed`
  const result = outcome(total as unknown as Counts, broken)
  return { ...result, clean: result.clean && ranUnasked === 0 && cut * delayed * swallowed > 0 }
}

/** Runs one of them. */
export async function runTrial(letter: Letter, trial: Trial, form: Form): Promise<Outcome> {
  switch (letter) {
    case 'a':
      return outcome(await appendRace(trial, form.race))
    case 'b':
      return outcome(await killWriters(trial, form.writerKills), `; ${form.writerKills} kills`)
    case 'c':
      return networkRuns(trial, form.runs)
    case 'd':
      return outcome(await killServer(trial, form.serverKills), `; ${form.serverKills} kills`)
    case 'e': {
      const { sequences, differed } = await randomSequences(trial, form.sequences)
      return {
        clean: differed.length === 0,
        text: `${sequences} sequences, ${differed.length} differ`,
        details: differed.slice(0, 5).join('\n'),
      }
    }
  }
}
