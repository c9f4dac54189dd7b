import { clearLine, createInterface, cursorTo } from 'node:readline'
import type { Console, Streams } from '../output/console.ts'
import type { AskLine } from './decide.ts'
import { EXIT } from './exit-code.ts'
import type { History } from './history.ts'
import { LineQueue } from './line-queue.ts'
import type { Turns } from './turns.ts'

const PROMPT = '> '

/**
 * The chat with a person: prompt, history, Ctrl-C and Ctrl-D. `turnsWith` makes the turns, given how to ask the
 * person something in the middle of one. Answers the exit code.
 */
export async function chatInTerminal(
  { stdin, stdout }: Streams,
  console: Console,
  turnsWith: (askLine: AskLine) => Turns,
  history: History,
  ending: AbortSignal,
): Promise<number> {
  // A program may drive the chat through a pipe: then there is no line to edit, and none to remember.
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true
  const lines = isTerminal ? await history.load().catch(() => []) : []
  const readline = createInterface({
    input: stdin,
    output: stdout,
    terminal: isTerminal,
    prompt: PROMPT,
    history: lines,
    historySize: 500,
    removeHistoryDuplicates: true,
  })
  const queue = new LineQueue(readline)
  // A terminal that is gone: there is nothing left to read. To close it is the next error of that kind.
  let isGone = false
  readline.on('error', () => {
    if (isGone) return
    isGone = true
    readline.close()
  })
  let hinted = false
  let leaving = false
  let historyWorks = isTerminal
  let asking: AbortController | undefined

  const showPrompt = (prompt: string) => {
    // A prompt would open the input again, and the program would never end.
    if (queue.isClosed) return
    // What was typed while an answer came is still in the line: show it again behind the prompt.
    if (isTerminal) {
      cursorTo(stdout, 0)
      clearLine(stdout, 0)
    }
    readline.setPrompt(prompt)
    readline.prompt(true)
  }

  const askLine: AskLine = async (prompt) => {
    const controller = new AbortController()
    asking = controller
    showPrompt(prompt)
    try {
      return await queue.fresh(AbortSignal.any([controller.signal, ending]))
    } finally {
      asking = undefined
    }
  }
  const turns = turnsWith(askLine)

  const interrupt = () => {
    if (turns.stop()) {
      queue.clear()
      // Whoever presses it twice wants to leave, however fast the answer stopped.
      hinted = true
      return
    }
    if (turns.isRunning) {
      // It was told to stop, and to leave then, and takes too long for somebody.
      if (leaving) process.exit(EXIT.stopped)
      leaving = true
      return
    }
    stdout.write('\n')
    if (asking) {
      asking.abort()
      return
    }
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
    while (!leaving && !ending.aborted) {
      const typedAhead = !queue.isEmpty
      if (!typedAhead) showPrompt(PROMPT)
      const line = await queue.next(ending)
      if (line === undefined) break
      // Its echo scrolled by long ago: without it nobody could tell which answer is whose.
      if (typedAhead) console.say(`${PROMPT}${line}`, 'dim')
      hinted = false
      await remember(line)
      if ((await turns.handle(line)) === 'quit' || leaving) return EXIT.ok
    }
    stdout.write('\n')
    return EXIT.ok
  } finally {
    process.off('SIGINT', interrupt)
    readline.close()
  }
}
