import { createInterface } from 'node:readline'
import type { Streams } from '../output/console.ts'
import { LineQueue } from './line-queue.ts'
import type { Outcome, Turns } from './turns.ts'

/** The exit code that shells use for a program stopped by Ctrl-C. */
const STOPPED = 130

/** Each line of the input is a question or a command; ends with the input. Answers the exit code. */
export async function chatInPipe({ stdin }: Streams, turns: Turns): Promise<number> {
  const readline = createInterface({
    input: stdin,
    terminal: false,
    crlfDelay: Number.POSITIVE_INFINITY,
  })
  const queue = new LineQueue(readline)
  try {
    return await untilStopped(turns, async () => {
      let failed = (await turns.opened()) === 'failed'
      for (let line = await queue.next(); line !== undefined; line = await queue.next()) {
        const outcome = await turns.handle(line)
        if (outcome === 'quit') break
        if (outcome === 'stopped') return STOPPED
        failed ||= outcome === 'failed'
      }
      return failed ? 1 : 0
    })
  } finally {
    readline.close()
    stdin.destroy()
  }
}

/** One question or command for a script. */
export const answerOnce = (line: string, turns: Turns): Promise<number> =>
  untilStopped(turns, async () => exitCodeOf(await turns.handle(line)))

const exitCodeOf = (outcome: Outcome): number =>
  outcome === 'failed' ? 1 : outcome === 'stopped' ? STOPPED : 0

/** Ctrl-C stops the running answer in good order; where nothing runs it ends the program at once. */
async function untilStopped(turns: Turns, work: () => Promise<number>): Promise<number> {
  const interrupt = () => {
    if (!turns.stop()) process.exit(STOPPED)
  }
  process.on('SIGINT', interrupt)
  try {
    return await work()
  } finally {
    process.off('SIGINT', interrupt)
  }
}
