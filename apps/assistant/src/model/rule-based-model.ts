import type { AgentItem, AgentPrompt, ModelClient, ModelResult, ToolCall } from '@holdfast/core'
import { answer } from './answers.ts'
import { type Meaning, meaningsOf, type Wish } from './rules.ts'
import { type Call, callsOfTurn, isFor, summaryOf, userTexts } from './transcript.ts'

/**
 * A model that goes by rules instead of weights: it knows a set of phrases, and is otherwise a model
 * as any. All it knows is the prompt, so what it answers proves what memory holds.
 */
export const ruleBasedModel: ModelClient = {
  async create(prompt, { signal }) {
    signal?.throwIfAborted()
    return resultOf(prompt)
  },
  async *stream(prompt, { signal }) {
    const result = resultOf(prompt)
    for (const text of result.text.match(/\S*\s*/gu) ?? []) {
      signal?.throwIfAborted()
      if (text !== '') yield { type: 'text', text }
    }
    yield { type: 'result', result }
  },
}

function resultOf({ items, tools }: AgentPrompt): ModelResult {
  const texts = userTexts(items)
  const meanings = meaningsOf(texts.at(-1) ?? '')
  const calls = callsOfTurn(items)
  const known = new Set(tools.map(({ name }) => name))
  const wishes = nextWishes(meanings, calls).filter(({ tool }) => known.has(tool))
  if (wishes.length > 0) return callsResult(wishes)
  return textResult(
    answer(meanings, calls, { earlier: texts.slice(0, -1), summary: summaryOf(items) }),
  )
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
    const made = left.findIndex((call) => isFor(call, wish))
    if (made >= 0) {
      left.splice(made, 1)
      continue
    }
    if (now.some((other) => depends(wish, other))) break
    now.push(wish)
  }
  return now
}

/** Whether a wish must see what an earlier one did to the same things. Two of a kind may go together. */
const depends = (wish: Wish, earlier: Wish): boolean =>
  subjectOf(wish) === subjectOf(earlier) &&
  wish.tool !== earlier.tool &&
  (wish.changes === true || earlier.changes === true)

/** What a tool looks at or changes. */
const subjectOf = ({ tool }: Wish): string =>
  tool.includes('todo') ? 'list' : /file|command/.test(tool) ? 'files' : tool

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
