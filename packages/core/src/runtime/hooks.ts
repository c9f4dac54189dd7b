import type { ContextReport } from '../contracts/compaction.ts'
import type { AgentItem } from '../contracts/item.ts'
import type { AgentPrompt, ModelResult } from '../contracts/model-client.ts'
import { HoldfastError, invalid, kindOf, show } from '../errors.ts'
import { isRecord } from '../json.ts'
import type { FilledCall } from '../memory/call-items.ts'
import { ensure, isOptional } from './check.ts'
import { faultOf } from './model-result.ts'

/** What every hook is told. */
export interface HookInfo {
  /** `undefined` in a one-off run. */
  readonly sessionId: string | undefined
  /** The step of the run, from 0. */
  readonly step: number
  /** What the caller of `run` gave as `context`. */
  readonly context: unknown
}

/** Nothing to let it be, some of `Changes` to put in place of what it was given, or a reason to block it. */
export type HookAnswer<Changes> = Said<Changes> | Promise<Said<Changes>>

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks returns nothing.
type Said<Changes> = Partial<Changes> | { readonly block: string } | undefined | void

/**
 * Looked at before and after each prompt, model call and tool call. A blocked prompt or model call ends the
 * run with `ABORTED`; a blocked tool call does not run, and the model sees the reason. What a hook throws ends
 * the run, or, around a tool call, is its output; so does an answer with another key or of a wrong type
 * (`INVALID_ARGUMENT`).
 */
export interface AgentHooks {
  /** The items that memory gave, before they are fitted to the budget. Memory keeps what it has. */
  beforePrompt?(
    info: HookInfo & { readonly items: AgentItem[] },
  ): HookAnswer<{ items: AgentItem[] }>
  /** The prompt as it is to be sent, and what was done to make it fit. */
  afterPrompt?(
    info: HookInfo & { readonly prompt: AgentPrompt; readonly report: ContextReport },
  ): HookAnswer<{ prompt: AgentPrompt }>
  /** Before each attempt, the retries too. */
  beforeModel?(
    info: HookInfo & { readonly prompt: AgentPrompt; readonly attempt: number },
  ): HookAnswer<{ prompt: AgentPrompt }>
  /** Before anything of the answer is stored. */
  afterModel?(
    info: HookInfo & { readonly result: ModelResult },
  ): HookAnswer<{ result: ModelResult }>
  /** Before the arguments are parsed. `arguments` is JSON text; memory keeps the call as the model made it. */
  beforeTool?(
    info: HookInfo & { readonly call: FilledCall; readonly arguments: string },
  ): HookAnswer<{ arguments: string }>
  /** Before the output is stored. */
  afterTool?(
    info: HookInfo & { readonly call: FilledCall; readonly output: string | readonly AgentItem[] },
  ): HookAnswer<{ output: string | readonly AgentItem[] }>
}

const isItems = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord)

const isPrompt = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value['model'] === 'string' &&
  isOptional(value['instructions'], 'string') &&
  isItems(value['items']) &&
  isItems(value['tools'])

const PROMPT = ['prompt', 'an AgentPrompt with model, items and tools', isPrompt] as const

/** What each hook may change: the key of its answer, and what that must be. */
export const HOOKS: Record<
  keyof AgentHooks,
  readonly [string, string, (value: unknown) => boolean]
> = {
  beforePrompt: ['items', 'an array of items', isItems],
  afterPrompt: PROMPT,
  beforeModel: PROMPT,
  afterModel: ['result', 'a ModelResult', (value) => !faultOf(value)],
  beforeTool: ['arguments', 'JSON text', (value) => typeof value === 'string'],
  afterTool: [
    'output',
    'text or content parts',
    (value) => typeof value === 'string' || isItems(value),
  ],
}

/** Refuses an answer that would be ignored, or fail far from the hook. */
function checkAnswer(
  name: keyof AgentHooks,
  answer: unknown,
): asserts answer is Record<string, unknown> {
  if (!isRecord(answer)) throw invalid(`${name} must answer an object, got ${kindOf(answer)}.`)
  const [known, kind, is] = HOOKS[name]
  for (const [key, value] of Object.entries(answer)) {
    if (key === 'block') continue
    if (key !== known) throw invalid(`${name} answers ${known} or block, not ${show(key)}.`)
    ensure(is(value), `The ${key} that ${name} answers`, kind, value)
  }
}

/** `info` as the hooks leave it, one after the other; `ABORTED` where one blocks, `INVALID_ARGUMENT` where one answers what it may not. */
export async function applyHooks<T extends object>(
  hooks: readonly AgentHooks[],
  name: keyof AgentHooks,
  info: T,
): Promise<T> {
  let current = info
  for (const hook of hooks) {
    const answer: unknown = await hook[name]?.(current as never)
    if (answer === undefined) continue
    checkAnswer(name, answer)
    const { block, ...changes } = answer
    if (block !== undefined) {
      throw new HoldfastError('ABORTED', `Blocked by ${name}: ${String(block)}`)
    }
    current = { ...current, ...changes }
  }
  return current
}
