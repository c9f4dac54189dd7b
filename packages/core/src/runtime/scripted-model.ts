import type { AgentItem, JsonObject } from '../contracts/item.ts'
import type { AgentPrompt, ModelClient, ModelResult, Usage } from '../contracts/model-client.ts'
import { invalid, show } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'
import { isFunctionCall } from '../memory/call-items.ts'

/** One call of a scripted answer. */
export interface ScriptedCall {
  /** The tool’s name; one that does not exist is a test, too. */
  readonly name: string
  /** The arguments, or their text as a model would send it. Default `{}`. */
  readonly arguments?: JsonObject | string
  /** Without it the runtime fills one in. */
  readonly callId?: string
}

/** One answer: its text, or its parts. */
export type ScriptedTurn =
  | string
  | {
      readonly text?: string
      readonly calls?: readonly ScriptedCall[]
      /** Items in front of those that `text` and `calls` make: reasoning, say. */
      readonly items?: readonly AgentItem[]
      readonly usage?: Usage
    }

/** An answer, or a function that makes it out of the prompt; what it throws fails the call. */
export type ScriptedStep =
  | ScriptedTurn
  | ((prompt: AgentPrompt) => ScriptedTurn | Promise<ScriptedTurn>)

export interface ScriptedModel extends ModelClient {
  /** Detached copies of the prompts so far. */
  readonly prompts: readonly AgentPrompt[]
}

/**
 * A model that answers `turns` one after the other: for tests and demos, the same every time. A call
 * beyond the last turn rejects. `INVALID_ARGUMENT` where a turn is none.
 */
export function scriptedModel(turns: readonly ScriptedStep[]): ScriptedModel {
  if (!Array.isArray(turns)) throw invalid(`scriptedModel takes an array, not ${show(turns)}.`)
  const script: readonly ScriptedStep[] = [...turns]
  script.forEach(checkStep)
  const prompts: AgentPrompt[] = []
  return {
    prompts,
    async create(prompt, { signal } = {}) {
      signal?.throwIfAborted()
      const index = prompts.push(cloneJson(prompt, 'prompt')) - 1
      const step = script[index]
      if (step === undefined) {
        throw new RangeError(
          `The script has ${script.length} turns, and this is model call ${index + 1}.`,
        )
      }
      const turn = checkTurn(typeof step === 'function' ? await step(prompt) : step, index)
      signal?.throwIfAborted()
      return resultOf(turn)
    },
  }
}

function checkStep(step: unknown, index: number): void {
  if (typeof step !== 'function') checkTurn(step, index)
}

function checkTurn(turn: unknown, index: number): ScriptedTurn {
  const lists = isRecord(turn) && [turn['calls'] ?? [], turn['items'] ?? []].every(Array.isArray)
  if (typeof turn === 'string' || lists) return turn as ScriptedTurn
  throw invalid(
    `Turn ${index} of the script must be text, { text?, calls?, items?, usage? } or a function, not ${show(turn)}.`,
  )
}

function resultOf(turn: ScriptedTurn): ModelResult {
  const { text, calls = [], items = [], usage } = typeof turn === 'string' ? { text: turn } : turn
  const memoryItems = [
    ...items,
    ...(text === undefined ? [] : [assistantMessage(text)]),
    ...calls.map(functionCall),
  ]
  return {
    memoryItems,
    toolCalls: memoryItems.filter(isFunctionCall).map((item) => ({
      callId: (item['call_id'] as string | undefined) ?? null,
      name: item['name'] as string,
      arguments: item['arguments'] as string,
    })),
    text: text ?? '',
    ...(usage && { usage }),
  }
}

const assistantMessage = (text: string): AgentItem => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})

const functionCall = ({ callId, name, arguments: args = {} }: ScriptedCall): AgentItem => ({
  type: 'function_call',
  ...(callId !== undefined && { call_id: callId }),
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
})
