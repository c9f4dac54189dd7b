import packageJson from '../package.json' with { type: 'json' }
import { type Arguments, parseArguments, USAGE, UsageError } from './arguments.ts'
import { failureReport } from './chat/answer-report.ts'
import { count } from './chat/command.ts'
import { Conversation } from './chat/conversation.ts'
import { decideByOrders, decideByPerson, firstOf } from './chat/decide.ts'
import { EXIT } from './chat/exit-code.ts'
import { History } from './chat/history.ts'
import { answerOnce, chatInPipe } from './chat/piped.ts'
import { newSessionId } from './chat/session-id.ts'
import { chatInTerminal } from './chat/terminal.ts'
import { Turns } from './chat/turns.ts'
import type { Ending } from './ending.ts'
import { chooseModel } from './model/choose-model.ts'
import { openStorage } from './open-storage.ts'
import { Console, type Streams } from './output/console.ts'
import { maskOf } from './output/mask.ts'
import { contextTokens, historyPath, secretsOf, storageUrl } from './settings.ts'
import { Folder } from './tools/folder.ts'

/** Runs the program and answers its exit code; every error is shown, none is thrown. */
export async function run(
  argv: readonly string[],
  streams: Streams,
  cwd: string,
  ending: Ending,
): Promise<number> {
  const mask = maskOf(secretsOf(streams.env))
  // Whoever asked for JSON gets JSON also where the rest of the line is wrong.
  const json = argv.includes('--json')
  const console = new Console(streams, mask, { quiet: json })
  let sessionId = ''
  const failed = (error: unknown) => {
    if (json) console.json(failureReport(sessionId, error))
    if (error instanceof UsageError) {
      console.note(`${error.message.replace(/\.?$/, '.')} --help shows the options.`)
      return EXIT.usage
    }
    console.fail(error)
    return EXIT.failed
  }
  try {
    const options = parseArguments(argv)
    if (options.help || options.version) {
      const text = options.help ? USAGE.trimEnd() : `holdfast-assistant ${packageJson.version}`
      new Console(streams, mask).say(text)
      return EXIT.ok
    }
    sessionId = options.session ?? newSessionId()
    const code = await chat(
      { ...options, session: sessionId },
      streams,
      console,
      cwd,
      ending.signal,
    )
    return ending.code ?? code
  } catch (error) {
    const code = failed(error)
    return ending.code ?? code
  }
}

async function chat(
  options: Arguments & { readonly session: string },
  streams: Streams,
  console: Console,
  cwd: string,
  ending: AbortSignal,
): Promise<number> {
  const { env, stdin, stdout } = streams
  const mask = maskOf(secretsOf(env))
  const folder = await Folder.open(options.folder ?? cwd)
  const model = await chooseModel(env)
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true
  const interactive = options.interactive || (options.once === undefined && isTerminal)
  // The first line says what answers; in a pipe it stays out of the answers.
  if (interactive) console.say(model.notice, 'bold')
  else console.note(model.notice)

  const tokens = contextTokens(env)
  const storage = await openStorage(await storageUrl(env, cwd))
  try {
    const conversation = await Conversation.open({
      storage,
      folder,
      model,
      mask,
      contextTokens: tokens,
      approved: options.approve,
      sessionId: options.session,
    })
    const { length } = await conversation.session.memory.getItems()
    const state = conversation.isNew ? 'new' : `${count(length, 'item')} stored`
    console.note(`Session ${conversation.id} (${state}). Folder ${folder.root}. /help helps.`)
    const byOrders = decideByOrders(options)
    try {
      if (interactive) {
        const code = await chatInTerminal(
          streams,
          console,
          (askLine) =>
            new Turns(conversation, console, firstOf(byOrders, decideByPerson(console, askLine)), {
              live: true,
              ending,
            }),
          new History(historyPath(cwd), mask),
          ending,
        )
        console.note(`To go on: npm start -- --session ${conversation.id}`)
        return code
      }
      const turns = new Turns(conversation, console, byOrders, { live: false, ending })
      if (options.once === undefined) return await chatInPipe(streams, turns, ending)
      return await answerOnce(options.once, turns, console, options.json)
    } finally {
      await conversation.close()
    }
  } finally {
    await storage.close()
  }
}
