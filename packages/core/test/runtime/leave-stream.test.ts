import { describe, expect, it } from 'vitest'
import { createAgent, type ModelClient } from '../../src/index.ts'
import { rejection } from './support.ts'

/** Never answers, but ends with its signal. */
const silent: ModelClient = {
  create: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
    }),
}
const agent = createAgent({ modelClient: silent, model: 'm' })

describe('a stream that is left', () => {
  it('while its reader waits for a piece aborts the run at once', async () => {
    const stream = agent.stream('Hi')
    const parts = stream.textStream[Symbol.asyncIterator]()
    const waiting = rejection(parts.next(), 'ABORTED')
    await parts.return?.()
    await waiting
    await rejection(stream.result, 'ABORTED')
  })

  it('before its first part is asked for aborts the run', async () => {
    const stream = agent.stream('Hi')
    await stream[Symbol.asyncIterator]().return?.()
    await rejection(stream.result, 'ABORTED')
  })

  it('by a web stream that nobody reads any more aborts the run', async () => {
    const stream = agent.stream('Hi')
    const reader = ReadableStream.from(stream.textStream).getReader()
    const waiting = reader.read()
    await reader.cancel()
    expect(await waiting).toMatchObject({ done: true })
    await rejection(stream.result, 'ABORTED')
  })
})
