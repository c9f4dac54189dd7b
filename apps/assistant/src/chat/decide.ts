import type { CallAnswer, PendingCall } from '@holdfast/core'
import type { Console } from '../output/console.ts'
import { RISKY_TOOLS } from '../tools/tools.ts'
import { describeCall, unknownText } from './describe-call.ts'

/** What is said to a call that waits; `undefined` leaves it waiting. */
export type Decide = (call: PendingCall) => Promise<CallAnswer | undefined>

/** What the command line says about calls that wait. */
export interface Orders {
  /** Run what needs an approval. */
  readonly approve: boolean
  /** Run again what may have run when its process ended; what is risky only with `approve`. */
  readonly rerun: boolean
  /** Run none of the others. */
  readonly reject: boolean
}

/** Decides by the command line alone; what it does not speak of goes on waiting. */
export const decideByOrders =
  ({ approve, rerun, reject }: Orders): Decide =>
  async ({ name, state, request }) => {
    // Killed early, a call may look as if it ran before anybody had approved it.
    if (state === 'unknown' && rerun && (approve || !RISKY_TOOLS.has(name))) return { rerun: true }
    if (state === 'waiting' && approve && request === undefined) return { approve: true }
    if (reject) return { reject: 'nobody was there to allow it.' }
    return undefined
  }

/** The next line that is typed; `undefined` for Ctrl-C and the end of the input. */
export type AskLine = (prompt: string) => Promise<string | undefined>

/** Shows the call and asks the person at the terminal. */
export const decideByPerson =
  (console: Console, askLine: AskLine): Decide =>
  async (call) => {
    const { name, state, request } = call
    if (request !== undefined) {
      console.say(`The assistant asks:\n${describeCall(call)}`, 'bold')
      const reply = await askLine('Your answer (nothing: later) > ')
      return reply === undefined || reply.trim() === '' ? undefined : { reply }
    }
    const isUnknown = state === 'unknown'
    console.say(
      isUnknown ? `${name} ${unknownText(name)}:` : `${name} needs your approval:`,
      'bold',
    )
    console.say(describeCall(call))
    const prompt = isUnknown
      ? 'Run it again? y, n [reason], o OUTPUT, l (later) > '
      : 'Run it? y, n [reason], o OUTPUT, l (later) > '
    for (;;) {
      const line = await askLine(prompt)
      const [, word = '', rest = ''] = /^\s*(\S*)\s*(.*)$/s.exec(line ?? 'later') ?? []
      switch (word.toLowerCase()) {
        case 'y':
        case 'yes':
          return isUnknown ? { rerun: true } : { approve: true }
        case 'n':
        case 'no':
          return { reject: rest || 'the user does not want it.' }
        case 'o':
        case 'output':
          return { output: rest }
        case 'l':
        case 'later':
          return undefined
      }
    }
  }

/** Asks one after the other, until one of them decides. */
export const firstOf =
  (...deciders: readonly Decide[]): Decide =>
  async (call) => {
    for (const decide of deciders) {
      const answer = await decide(call)
      if (answer) return answer
    }
    return undefined
  }
