import { HoldfastError } from '@holdfast/core'
import type { Conversation } from './conversation.ts'

/** What a command wants to be said, and what is to follow. */
export interface CommandResult {
  readonly text: string
  /**
   * `quit`: the program ends. `opened`: another session is open, whose last turn may lack its answer. `go`: the
   * running turn can go on.
   */
  readonly next?: 'quit' | 'opened' | 'go'
}

export interface Command {
  /** How it is typed: name and words. */
  readonly usage: string
  /** One line for the list of commands. */
  readonly help: string
  /** `rest`: the line behind the name. Errors are the caller's to show. */
  run(rest: string, chat: Conversation): Promise<CommandResult>
}

export const wrong = (message: string): HoldfastError =>
  new HoldfastError('INVALID_ARGUMENT', message)

export const count = (number: number, thing: string): string =>
  `${number} ${thing}${number === 1 ? '' : 's'}`

/** The first word of `rest`, and what stands behind it as it was typed. */
export function firstWord(rest: string): [word: string, behind: string] {
  const [, word = '', behind = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? []
  return [word, behind]
}

/** A whole number from 1; `fallback` where nothing was typed. */
export function numberOf(rest: string, fallback: number, name: string): number {
  if (rest === '') return fallback
  const number = Number(rest)
  if (!Number.isSafeInteger(number) || number < 1) throw wrong(`${name} takes a number from 1.`)
  return number
}
