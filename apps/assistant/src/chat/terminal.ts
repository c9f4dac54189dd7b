import { clearLine, createInterface, cursorTo } from 'node:readline'
import type { Console, Streams } from '../output/console.ts'
import type { History } from './history.ts'
import { LineQueue } from './line-queue.ts'
import type { Turns } from './turns.ts'

const PROMPT = '> '

/** The chat with a person: prompt, history, Ctrl-C and Ctrl-D. Answers the exit code. */
export async function chatInTerminal(
  { stdin, stdout }: Streams,
  console: Console,
  turns: Turns,
  history: History,
): Promise<number> {
  const lines = await history.load().catch(() => [])
  const readline = createInterface({
    input: stdin,
    output: stdout,
    terminal: true,
    prompt: PROMPT,
    history: lines,
    historySize: 500,
    removeHistoryDuplicates: true,
  })
  const queue = new LineQueue(readline)
  let hinted = false
  let historyWorks = true

  const interrupt = () => {
    if (turns.stop()) {
      queue.clear()
      return
    }
    stdout.write('\n')
    if (readline.line !== '') {
      // To its end first: Ctrl-U removes what stands before the cursor.
      readline.write(null, { ctrl: true, name: 'e' })
      readline.write(null, { ctrl: true, name: 'u' })
    } else if (hinted) {
      readline.close()
      return
    } else {
      console.note('Ctrl-C again, Ctrl-D or /quit leaves.')
      hinted = true
    }
    readline.prompt()
  }
  readline.on('SIGINT', interrupt)
  process.on('SIGINT', interrupt)

  const remember = async (line: string) => {
    if (line.trim() === '' || !historyWorks) return
    await history.add(line).catch((error: unknown) => {
      historyWorks = false
      console.note(`The history is not kept: ${error instanceof Error ? error.message : error}`)
    })
  }

  try {
    await turns.opened()
    for (;;) {
      const typedAhead = !queue.isEmpty
      if (!typedAhead) {
        // What was typed while an answer came is still in the line: show it again behind the prompt.
        cursorTo(stdout, 0)
        clearLine(stdout, 0)
        readline.prompt(true)
      }
      const line = await queue.next()
      if (line === undefined) break
      // Its echo scrolled by long ago: without it nobody could tell which answer is whose.
      if (typedAhead) console.say(`${PROMPT}${line}`, 'dim')
      hinted = false
      await remember(line)
      if ((await turns.handle(line)) === 'quit') return 0
    }
    stdout.write('\n')
    return 0
  } finally {
    process.off('SIGINT', interrupt)
    readline.close()
  }
}
