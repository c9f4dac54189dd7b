import { isSignal } from '../abort.ts'
import type { AgentMemory } from '../contracts/agent-memory.ts'
import type { AgentInput, RunOptions } from '../contracts/agent-runtime.ts'
import { type AgentItem, userMessage } from '../contracts/item.ts'
import { checkMethods, knownOptions, wrong } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'

/** `INVALID_ARGUMENT` unless `ok`: "`what` must be `kind`, got …". */
export function ensure(ok: unknown, what: string, kind: string, value: unknown): asserts ok {
  if (!ok) throw wrong(what, kind, value)
}

/** True for `undefined` and for what is of that type. */
export const isOptional = (value: unknown, type: string): boolean =>
  value === undefined || typeof value === type

/** `memory` if it has every method of `AgentMemory`; else `INVALID_ARGUMENT` naming the first that is missing. */
export function checkMemory(memory: unknown): AgentMemory {
  checkMethods('The memory', memory, [
    'addUserInput',
    'addOutputItems',
    'addToolOutput',
    'getItems',
    'getSummary',
    'clear',
  ] satisfies (keyof AgentMemory)[])
  return memory as AgentMemory
}

/** What bounds a run; an agent has defaults of them. */
export const LIMITS = ['maxSteps', 'timeoutMs', 'maxTokens'] as const

/** Refuses limits that are not positive whole numbers. */
export function checkLimits(options: Pick<RunOptions, (typeof LIMITS)[number]>): void {
  for (const name of LIMITS) {
    const value = options[name]
    // A timer takes no more than 31 bits.
    const most = name === 'timeoutMs' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER
    const ok = Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= most
    ensure(value === undefined || ok, name, 'a positive whole number', value)
  }
}

/** The options of a run. */
// No spread: a bundler would keep it in programs that run no agent.
export const RUN_OPTIONS = [
  'maxSteps',
  'timeoutMs',
  'maxTokens',
  'signal',
  'context',
  'onPending',
] as const

/** Refuses options of a run before it does anything. */
export function checkRunOptions(options: RunOptions): void {
  checkLimits(knownOptions(options, RUN_OPTIONS))
  const { signal, onPending } = options
  const known = onPending === undefined || onPending === 'error' || onPending === 'close'
  ensure(known, 'onPending', "'error' or 'close'", onPending)
  const ok = signal === undefined || isSignal(signal)
  ensure(ok, 'signal', 'an AbortSignal', signal)
}

/** The run's own copy of its input as items, refused here because memory would do so only after the run's first write. */
export function checkInput(input: AgentInput): AgentItem[] | undefined {
  if (input == null) return undefined
  if (typeof input === 'string') return [userMessage(input)]
  const items = Array.isArray(input) ? input : [input]
  ensure(items.every(isRecord), 'The input', 'text, an item, items or null', input)
  return cloneJson(items, 'input')
}
