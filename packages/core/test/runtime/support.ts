import {
  type AgentItem,
  type AgentMemory,
  type AgentRuntime,
  HoldfastError,
  type HoldfastErrorCode,
  type ModelClient,
  type ModelResult,
  type ToolContext,
  type ToolOptions,
  tool,
} from '@holdfast/core'
import { expect } from 'vitest'
import type { SessionConfig } from '../../src/sessions/agent-session.ts'

/** The error with which `promise` rejects; fails unless it has that code. */
export async function rejection(
  promise: Promise<unknown>,
  code: HoldfastErrorCode,
): Promise<HoldfastError> {
  const error = await promise.then(
    (value) => expect.fail(`resolved with ${JSON.stringify(value)} instead of ${code}`),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(HoldfastError)
  expect(error).toMatchObject({ code })
  return error as HoldfastError
}

/** What `act` throws; fails unless it has that code. */
export function thrown(act: () => unknown, code: HoldfastErrorCode): HoldfastError {
  try {
    act()
  } catch (error) {
    expect(error).toMatchObject({ code })
    return error as HoldfastError
  }
  return expect.fail(`threw nothing instead of ${code}`)
}

export interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

export function deferred<T = void>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** Lets everything that is ready to run, run. */
export const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 5))

export const never = <T>() => new Promise<T>(() => {})

type Method = 'addUserInput' | 'addOutputItems' | 'addToolOutput' | 'getItems'

/** A memory that passes everything on and lets `before` and `after` watch, wait or fail. */
export function watched(
  memory: AgentMemory,
  hooks: {
    before?: (method: Method, args: readonly unknown[]) => unknown
    after?: (method: Method, args: readonly unknown[]) => unknown
  },
): AgentMemory {
  const wrap =
    <A extends unknown[], R>(name: Method, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await hooks.before?.(name, args)
      const result = await call(...args)
      await hooks.after?.(name, args)
      return result
    }
  return {
    addUserInput: wrap('addUserInput', (input) => memory.addUserInput(input)),
    addOutputItems: wrap('addOutputItems', (items) => memory.addOutputItems(items)),
    addToolOutput: wrap('addToolOutput', (id, output) => memory.addToolOutput(id, output)),
    getItems: wrap('getItems', () => memory.getItems()),
    getSummary: () => memory.getSummary(),
    clear: () => memory.clear(),
  }
}

export const ANY_OBJECT = { type: 'object' } as const

/** A tool that takes any object. */
export const simpleTool = (
  name: string,
  execute: (args: Record<string, unknown>, context: ToolContext) => unknown,
) => tool({ name, description: `Runs ${name}.`, parameters: ANY_OBJECT, execute } as ToolOptions)

/** A client that answers with whatever `create` makes, right or wrong. */
export const client = (create: (...args: Parameters<ModelClient['create']>) => unknown) =>
  ({ create }) as ModelClient

export const call = (name: string, callId?: string, args = '{}'): AgentItem => ({
  type: 'function_call',
  ...(callId !== undefined && { call_id: callId }),
  name,
  arguments: args,
})

export const output = (callId: string, text: unknown) => ({
  type: 'function_call_output',
  call_id: callId,
  output: text,
})

export const assistant = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})

export const answer = (text: string): ModelResult => ({ memoryItems: [], toolCalls: [], text })

/** Every call has exactly one output, and every output a call before it. */
export function expectPaired(items: readonly AgentItem[]): void {
  const calls = items.filter((item) => item.type === 'function_call').map((i) => i['call_id'])
  const outputs = items
    .filter((item) => item.type === 'function_call_output')
    .map((i) => i['call_id'])
  expect(new Set(calls).size).toBe(calls.length)
  expect([...outputs].sort()).toEqual([...calls].sort())
}

/** What a session needs besides a runtime: no store, nothing to redact, nobody who listens. */
export const configFor = (runtime: AgentRuntime): SessionConfig => ({
  runtime,
  store: undefined,
  autosave: 'off',
  redact: undefined,
  listeners: [],
  compactPolicy: undefined,
  fork: () => expect.fail('forks nothing'),
})
