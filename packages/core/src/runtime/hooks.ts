import type { ContextReport } from '../contracts/compaction.ts'
import type { AgentItem } from '../contracts/item.ts'
import type { AgentPrompt, ModelResult } from '../contracts/model-client.ts'
import { HoldfastError, invalid, kindOf } from '../errors.ts'
import { isRecord } from '../json.ts'
import type { FilledCall } from '../memory/call-items.ts'

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
 * the run, or, around a tool call, is its output.
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

export const HOOK_NAMES: readonly (keyof AgentHooks)[] = [
  'beforePrompt',
  'afterPrompt',
  'beforeModel',
  'afterModel',
  'beforeTool',
  'afterTool',
]

/** `info` as the hooks leave it, one after the other; `ABORTED` where one blocks. */
export async function applyHooks<T extends object>(
  hooks: readonly AgentHooks[],
  name: keyof AgentHooks,
  info: T,
): Promise<T> {
  let current = info
  for (const hook of hooks) {
    const answer: unknown = await hook[name]?.(current as never)
    if (answer === undefined) continue
    if (!isRecord(answer)) throw invalid(`${name} must answer an object, got ${kindOf(answer)}.`)
    if (answer['block'] !== undefined) {
      throw new HoldfastError('ABORTED', `Blocked by ${name}: ${String(answer['block'])}`)
    }
    current = { ...current, ...answer }
  }
  return current
}
