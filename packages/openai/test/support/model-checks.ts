import type { AgentItem, AgentPrompt, ModelClient, ModelDelta, ModelResult } from '@holdfast/core'
import { userMessage } from '@holdfast/core'
import { expect } from 'vitest'
import type { WireServer } from './wire-server.ts'

/** The key of every client in these tests; no error may show it. */
export const KEY = 'sk-test-3f9a2c'
export const SECRET = 'the launch code is 7319'

export const prompt = (
  items: AgentItem[] = [userMessage(SECRET)],
  more: Partial<AgentPrompt> = {},
): AgentPrompt => ({ model: 'test-model', items, tools: [], ...more })

/** The request that came last. */
export const lastOf = (server: WireServer) => {
  const request = server.requests.at(-1)
  if (!request) throw new Error('No request has come in.')
  return request
}

/** Reads a stream to its end. The pieces must add up to the result's text. */
export async function streamed(
  client: ModelClient,
  what: AgentPrompt,
): Promise<{ readonly result: ModelResult; readonly deltas: ModelDelta[] }> {
  const deltas: ModelDelta[] = []
  for await (const delta of client.stream?.(what, {}) ?? []) deltas.push(delta)
  const last = deltas.at(-1)
  if (last?.type !== 'result') throw new Error('The last delta carries no result.')
  expect(deltas.filter(({ type }) => type === 'result')).toHaveLength(1)
  expect(textOf(deltas)).toBe(last.result.text)
  return { result: last.result, deltas }
}

export const textOf = (deltas: readonly ModelDelta[], type = 'text'): string =>
  deltas.map((delta) => (delta.type === type && 'text' in delta ? delta.text : '')).join('')

/** What a promise rejects with; fails where it resolves. Neither key nor prompt may be in its message. */
export async function failure(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await promise.then(
    () => {
      throw new Error('It resolved.')
    },
    (reason: unknown) => reason as Error & Record<string, unknown>,
  )
  expect(error.message).not.toContain(KEY)
  expect(error.message).not.toContain(SECRET)
  return error
}

export async function drain(deltas: AsyncIterable<unknown> | undefined): Promise<void> {
  for await (const _ of deltas ?? []) {
    // Each delta is dropped.
  }
}
