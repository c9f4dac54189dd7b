import type { CallAnswer, PendingCall } from '@holdfast/core'
import { type Command, type CommandResult, firstWord, wrong } from './command.ts'
import type { Conversation } from './conversation.ts'
import { describeCall, unknownText } from './describe-call.ts'

/** The calls that wait, as a list. */
export const pendingText = (calls: readonly PendingCall[]): string =>
  calls
    .map((call) => `${call.callId}: ${call.name}, ${stateOf(call)}\n${describeCall(call)}`)
    .join('\n')

function stateOf({ name, state, request }: PendingCall): string {
  if (state === 'unknown') return unknownText(name)
  return request === undefined ? 'waits for an approval' : 'waits for an answer'
}

const pending: Command = {
  usage: '/pending',
  help: 'the calls that wait for you',
  async run(_, { session }) {
    return { text: pendingText(await session.pending()) || 'No call waits.' }
  },
}

/**
 * Answers the call that `rest` begins with, or the only one that waits. `answerOf` gets the call and the rest of
 * the line.
 */
async function answer(
  rest: string,
  { session }: Conversation,
  answerOf: (call: PendingCall, text: string) => CallAnswer,
): Promise<CommandResult> {
  const calls = await session.pending()
  const [word, behind] = firstWord(rest)
  const named = calls.find(({ callId }) => callId === word)
  const call = named ?? (calls.length === 1 ? calls[0] : undefined)
  if (!call) {
    const ids = calls.map(({ callId }) => callId).join(', ')
    throw wrong(ids ? `Say which call: ${ids}.` : 'No call waits.')
  }
  await session.answer(call.callId, answerOf(call, named ? behind : rest))
  return { text: '', next: 'go' }
}

const approve: Command = {
  usage: '/approve [CALL_ID]',
  help: 'run a call that needs an approval',
  run: (rest, chat) => answer(rest, chat, () => ({ approve: true })),
}

const rerun: Command = {
  usage: '/rerun [CALL_ID]',
  help: 'run a call again that may have run when the process ended',
  run: (rest, chat) => answer(rest, chat, () => ({ rerun: true })),
}

const reject: Command = {
  usage: '/reject [CALL_ID] [REASON]',
  help: 'do not run it',
  run: (rest, chat) =>
    answer(rest, chat, (_, reason) => ({ reject: reason || 'the user does not want it.' })),
}

const output: Command = {
  usage: '/output [CALL_ID] TEXT',
  help: 'do not run it, and give its output; or answer a question',
  run: (rest, chat) =>
    answer(rest, chat, ({ request }, text) =>
      request === undefined ? { output: text } : { reply: text },
    ),
}

export const callCommands = { pending, approve, reject, rerun, output }
