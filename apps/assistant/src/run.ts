import { openSql } from '@holdfast/sql'
import packageJson from '../package.json' with { type: 'json' }
import { parseArguments, USAGE, UsageError } from './arguments.ts'
import { Conversation } from './chat/conversation.ts'
import { History } from './chat/history.ts'
import { answerOnce, chatInPipe } from './chat/piped.ts'
import { newSessionId } from './chat/session-id.ts'
import { chatInTerminal } from './chat/terminal.ts'
import { Turns } from './chat/turns.ts'
import { chooseModel } from './model/choose-model.ts'
import { Console, type Streams } from './output/console.ts'
import { oneLine } from './output/cut.ts'
import { historyPath, storageUrl } from './settings.ts'
import { Folder } from './tools/folder.ts'

/** Runs the program and answers its exit code; every error is shown, none is thrown. */
export async function run(argv: readonly string[], streams: Streams, cwd: string): Promise<number> {
  const console = new Console(streams)
  try {
    const options = parseArguments(argv)
    if (options.help) {
      console.say(USAGE.trimEnd())
      return 0
    }
    if (options.version) {
      console.say(`holdfast-assistant ${packageJson.version}`)
      return 0
    }
    return await chat(options, streams, console, cwd)
  } catch (error) {
    if (error instanceof UsageError) {
      console.note(`${error.message.replace(/\.?$/, '.')} --help shows the options.`)
      return 2
    }
    console.fail(error)
    return 1
  }
}

async function chat(
  options: ReturnType<typeof parseArguments>,
  streams: Streams,
  console: Console,
  cwd: string,
): Promise<number> {
  const folder = await Folder.open(options.folder ?? cwd)
  const model = chooseModel(streams.env)
  const interactive =
    options.once === undefined && streams.stdin.isTTY === true && streams.stdout.isTTY === true
  // The first line says what answers; in a pipe it stays out of the answers.
  if (interactive) console.say(model.notice, 'bold')
  else console.note(model.notice)

  const storage = await openSql(await storageUrl(streams.env, cwd))
  try {
    const conversation = new Conversation({
      storage,
      folder,
      model,
      sessionId: options.session ?? newSessionId(),
      ...(interactive && {
        announce: ({ name, arguments: args }) =>
          console.say(`· ${name} ${oneLine(args, 100)}`, 'dim'),
      }),
    })
    const turns = new Turns(conversation, console)
    const known = options.session === undefined ? 0 : (await conversation.items()).length
    const state = known > 0 ? `${known} items stored` : 'new'
    console.note(`Session ${conversation.id} (${state}). Folder ${folder.root}. /help helps.`)
    if (options.once !== undefined) return await answerOnce(options.once, turns)
    if (!interactive) return await chatInPipe(streams, turns)
    const code = await chatInTerminal(streams, console, turns, new History(historyPath(cwd)))
    console.note(`To go on: npm start -- --session ${conversation.id}`)
    return code
  } finally {
    await storage.close()
  }
}
