import { createInterface } from 'node:readline'
import type { Console, Streams } from '../output/console.ts'
import { isCommand } from './commands.ts'
import { EXIT, exitCodeOf } from './exit-code.ts'
import { LineQueue } from './line-queue.ts'
import type { Turns } from './turns.ts'

/**
 * Each line of the input is a question or a command; ends with the input, or at a question while calls wait.
 * Answers the exit code.
 */
export async function chatInPipe(
  { stdin }: Streams,
  turns: Turns,
  ending: AbortSignal,
): Promise<number> {
  const readline = createInterface({
    input: stdin,
    terminal: false,
    crlfDelay: Number.POSITIVE_INFINITY,
  })
  const queue = new LineQueue(readline)
  readline.on('error', () => readline.close())
  try {
    return await untilStopped(turns, async () => {
      let last = await turns.opened()
      let failed = last === 'failed'
      const next = () => queue.next(ending)
      for (let line = await next(); line !== undefined; line = await next()) {
        const isQuestion = line.trim() !== '' && !isCommand(line)
        // Each of the rest would only be refused in turn.
        if (last === 'waiting' && isQuestion) break
        const outcome = await turns.handle(line)
        if (outcome === 'quit') break
        if (outcome === 'stopped') return EXIT.stopped
        failed ||= outcome === 'failed'
        // What only looks changes nothing about the calls that wait.
        if (last !== 'waiting' || !(await turns.isWaiting())) last = outcome
      }
      if (last === 'waiting') return EXIT.waiting
      return failed ? EXIT.failed : EXIT.ok
    })
  } finally {
    readline.close()
    stdin.destroy()
  }
}

/** One question or command for a script; with `json`, what it came to is said as one object. */
export const answerOnce = (
  line: string,
  turns: Turns,
  console: Console,
  json: boolean,
): Promise<number> =>
  untilStopped(turns, async () => {
    const outcome = await turns.handleAndSave(line)
    if (json) console.json(turns.report(outcome))
    return exitCodeOf(outcome)
  })

/** Ctrl-C stops the running answer in good order; where nothing runs, and the second time, it ends the program at once. */
async function untilStopped(turns: Turns, work: () => Promise<number>): Promise<number> {
  const interrupt = () => {
    if (!turns.stop()) process.exit(EXIT.stopped)
  }
  process.on('SIGINT', interrupt)
  try {
    return await work()
  } finally {
    process.off('SIGINT', interrupt)
  }
}
