import type { AgentMemory } from '../contracts/agent-memory.ts'
import type { AgentInput, RunOptions } from '../contracts/agent-runtime.ts'
import { invalid, show } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'

const METHODS = [
  'addUserInput',
  'addOutputItems',
  'addToolOutput',
  'getItems',
  'getSummary',
  'clear',
] as const satisfies readonly (keyof AgentMemory)[]

/** `memory` if it has every method of `AgentMemory`; else `INVALID_ARGUMENT` naming `what` and the first that is missing. */
export function checkMemory(memory: unknown, what: string): AgentMemory {
  const missing = METHODS.find((name) => !isRecord(memory) || typeof memory[name] !== 'function')
  if (missing) throw invalid(`${what} must be an AgentMemory, not ${show(memory)} (no ${missing}).`)
  return memory as unknown as AgentMemory
}

/** Refuses what is not a positive whole number of steps. */
export function checkMaxSteps(maxSteps: unknown): void {
  if (maxSteps !== undefined && !(Number.isSafeInteger(maxSteps) && Number(maxSteps) > 0)) {
    throw invalid(`maxSteps must be a positive whole number, not ${show(maxSteps)}.`)
  }
}

/** Refuses options of a run before it does anything. */
export function checkRunOptions(options: RunOptions): void {
  if (!isRecord(options as unknown)) {
    throw invalid(`The options of a run must be an object, not ${show(options)}.`)
  }
  checkMaxSteps(options.maxSteps)
  const { signal } = options
  // Not `instanceof`: signals of another realm or of a polyfill are signals too.
  if (
    signal !== undefined &&
    !(typeof signal?.aborted === 'boolean' && typeof signal.addEventListener === 'function')
  ) {
    throw invalid(`signal must be an AbortSignal, not ${show(signal)}.`)
  }
}

/** The run's own copy of its input, refused here because memory would do so only after the run's first write. */
export function checkInput(input: AgentInput): AgentInput {
  if (input == null || typeof input === 'string') return input
  if (!(Array.isArray(input) ? input : [input]).every(isRecord)) {
    throw invalid(`The input must be text, an item, items or null, not ${show(input)}.`)
  }
  return cloneJson(input, 'input')
}
