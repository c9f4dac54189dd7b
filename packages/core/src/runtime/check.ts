import type { AgentMemory } from '../contracts/agent-memory.ts'
import type { AgentInput, RunOptions } from '../contracts/agent-runtime.ts'
import { checkOptions, wrong } from '../errors.ts'
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
  for (const name of [
    'addUserInput',
    'addOutputItems',
    'addToolOutput',
    'getItems',
    'getSummary',
    'clear',
  ] as const satisfies readonly (keyof AgentMemory)[]) {
    const ok = isRecord(memory) && typeof memory[name] === 'function'
    ensure(ok, 'The memory', `an AgentMemory with ${name}`, memory)
  }
  return memory as AgentMemory
}

/** Refuses what is not a positive whole number of steps. */
export function checkMaxSteps(maxSteps: number | undefined): void {
  const ok = maxSteps === undefined || (Number.isSafeInteger(maxSteps) && maxSteps > 0)
  ensure(ok, 'maxSteps', 'a positive whole number', maxSteps)
}

/** Refuses options of a run before it does anything. */
export function checkRunOptions(options: RunOptions): void {
  checkMaxSteps(checkOptions(options).maxSteps)
  const { signal } = options
  // Not `instanceof`: signals of another realm or of a polyfill are signals too.
  const ok =
    signal === undefined ||
    (typeof signal?.aborted === 'boolean' &&
      typeof signal.addEventListener === 'function' &&
      typeof signal.removeEventListener === 'function')
  ensure(ok, 'signal', 'an AbortSignal', signal)
}

/** The run's own copy of its input, refused here because memory would do so only after the run's first write. */
export function checkInput(input: AgentInput): AgentInput {
  if (input == null || typeof input === 'string') return input
  const ok = (Array.isArray(input) ? input : [input]).every(isRecord)
  ensure(ok, 'The input', 'text, an item, items or null', input)
  return cloneJson(input, 'input')
}
