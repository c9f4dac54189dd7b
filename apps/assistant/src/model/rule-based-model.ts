import type { AgentItem, ModelClient, ModelResult, ToolCall } from '@holdfast/core'
import { answer } from './answers.ts'
import { type Meaning, meaningsOf, type Wish } from './rules.ts'
import { type Call, callsOfTurn, isFor, userTexts } from './transcript.ts'

/** How often one wish is tried: a call that a kill interrupted is made once more. */
const MAX_TRIES = 2

/**
 * A model that goes by rules instead of weights: it knows a set of phrases, and is otherwise a model
 * as any. All it knows is the prompt, so what it answers proves what memory holds.
 */
export const ruleBasedModel: ModelClient = {
  async create({ items, tools }, { signal }) {
    signal?.throwIfAborted()
    const texts = userTexts(items)
    const meanings = meaningsOf(texts.at(-1) ?? '')
    const calls = callsOfTurn(items)
    const known = new Set(tools.map(({ name }) => name))
    const wishes = nextWishes(meanings, calls).filter(({ tool }) => known.has(tool))
    return wishes.length > 0
      ? callsResult(wishes)
      : textResult(answer(meanings, calls, texts.slice(0, -1)))
  },
}

/**
 * The calls to make now, all in parallel. A wish that follows a change waits for it: "add todo tea and
 * what is on my list" takes two steps, "what is 2+2 and read LICENSE" takes one.
 */
function nextWishes(meanings: readonly Meaning[], calls: readonly Call[]): Wish[] {
  const all = meanings.flatMap((meaning) => (meaning.kind === 'tools' ? meaning.wishes : []))
  const left = [...calls]
  const now: Wish[] = []
  for (const wish of all) {
    const tried = takeTries(left, wish)
    if (isSettled(tried)) continue
    if (now.some((other) => depends(wish, other))) break
    now.push(wish)
  }
  return now
}

/** Whether a wish about the to-do list must see what an earlier one did. Two of a kind may go together. */
const depends = (wish: Wish, earlier: Wish): boolean =>
  usesList(wish) &&
  usesList(earlier) &&
  wish.tool !== earlier.tool &&
  (wish.changes === true || earlier.changes === true)

const usesList = (wish: Wish): boolean => wish.tool.includes('todo')

const isSettled = (tries: readonly Call[]): boolean => {
  const last = tries.at(-1)
  return last !== undefined && (!wasInterrupted(last) || tries.length >= MAX_TRIES)
}

/** The calls made for one wish: up to the first that was not interrupted. Takes them out of `calls`. */
function takeTries(calls: Call[], wish: Wish): Call[] {
  const tries: Call[] = []
  while (tries.length === 0 || wasInterrupted(tries.at(-1) as Call)) {
    const index = calls.findIndex((call) => isFor(call, wish))
    if (index < 0) break
    tries.push(...calls.splice(index, 1))
  }
  return tries
}

/** The runtime stores this for a call that was running when its process ended. */
const wasInterrupted = (call: Call): boolean => call.output?.startsWith('Interrupted:') ?? false

function callsResult(wishes: readonly Wish[]): ModelResult {
  const toolCalls: ToolCall[] = wishes.map((wish) => ({
    name: wish.tool,
    arguments: JSON.stringify(wish.arguments),
  }))
  const memoryItems: AgentItem[] = toolCalls.map((call) => ({ type: 'function_call', ...call }))
  return { memoryItems, toolCalls, text: '', finishReason: 'tool_calls' }
}

function textResult(text: string): ModelResult {
  return {
    memoryItems: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
    toolCalls: [],
    text,
    finishReason: 'stop',
  }
}
