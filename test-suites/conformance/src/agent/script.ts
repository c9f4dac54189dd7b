import type { AgentItem, AgentPrompt, ModelClient, ModelResult, ToolCall } from '@holdfast/core'
import { assistant } from '../memory/expect.ts'

/** A call as a model makes it: without an id where it gives none, its arguments as they come. */
export interface ScriptedToolCall {
  readonly name: string
  readonly id?: string | null
  /** The text of the arguments, or what becomes it. Default `{}`. */
  readonly args?: string | object
}

export interface Turn {
  readonly text?: string
  readonly calls?: readonly ScriptedToolCall[]
  /** In front of text and calls. */
  readonly items?: readonly AgentItem[]
}

/** An answer, an error that the model fails with, or a function that makes either of the prompt. */
export type ScriptStep =
  | string
  | Turn
  | Error
  | ((prompt: AgentPrompt) => StepAnswer | Promise<StepAnswer>)
type StepAnswer = string | Turn | Error

export const calling = (...calls: readonly (string | ScriptedToolCall)[]): Turn => ({
  calls: calls.map((it) => (typeof it === 'string' ? { name: it, id: `id of ${it}` } : it)),
})

const callItem = ({ name, id, args = {} }: ScriptedToolCall): AgentItem => ({
  type: 'function_call',
  ...(id === undefined ? {} : { call_id: id }),
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
})

/** A model that answers its steps one after the other, and keeps every prompt that it was shown. */
export class Script implements ModelClient {
  /** Detached copies. */
  readonly prompts: AgentPrompt[] = []
  readonly #steps: readonly ScriptStep[]
  readonly #onCall: (count: number) => void

  /** `onCall`: told of each call before it is answered, with its number, from 1. */
  constructor(steps: readonly ScriptStep[], onCall: (count: number) => void = () => {}) {
    this.#steps = steps
    this.#onCall = onCall
  }

  async create(prompt: AgentPrompt): Promise<ModelResult> {
    const count = this.prompts.push(JSON.parse(JSON.stringify(prompt)) as AgentPrompt)
    this.#onCall(count)
    const step = this.#steps[count - 1]
    if (step === undefined) throw new Error(`the script ended before model call ${count}`)
    const answer = typeof step === 'function' ? await step(prompt) : step
    if (answer instanceof Error) throw answer
    return resultOf(typeof answer === 'string' ? { text: answer } : answer)
  }

  /** The items of the prompt of model call `count`, from 1. */
  items(count: number): AgentItem[] {
    const prompt = this.prompts[count - 1]
    if (!prompt) throw new Error(`there was no model call ${count}`)
    return prompt.items
  }
}

function resultOf({ text, calls = [], items = [] }: Turn): ModelResult {
  const toolCalls = calls.map(
    ({ name, id, args = {} }): ToolCall => ({
      callId: id ?? null,
      name,
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
    }),
  )
  return {
    memoryItems: [
      ...items,
      ...(text === undefined ? [] : [assistant(text)]),
      ...calls.map(callItem),
    ],
    toolCalls,
    text: text ?? '',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  }
}
