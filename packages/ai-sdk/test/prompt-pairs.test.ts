import { aiSdkModel } from '@holdfast/ai-sdk'
import { expect, it } from 'vitest'
import { prompt } from '../../openai/test/support/model-checks.ts'
import { randomFrom, randomHistory } from '../../openai/test/support/random-history.ts'

interface Message {
  readonly role: string
  readonly content: readonly { readonly type: string; readonly toolCallId?: string }[]
}

it('answers every call right behind its message, and loses and doubles no text, in 2,000 histories', async () => {
  let messages: Message[] = []
  const client = aiSdkModel({
    specificationVersion: 'v3',
    provider: 'local',
    modelId: 'three',
    async doGenerate(options) {
      messages = JSON.parse(JSON.stringify((options as { prompt: unknown }).prompt))
      return { content: [], finishReason: 'stop', usage: {} }
    },
    doStream: () => Promise.reject(new Error('not asked for')),
  })
  for (let seed = 1; seed <= 2_000; seed++) {
    const { items, callIds, texts } = randomHistory(randomFrom(seed))
    await client.create(prompt(items), {})
    const idsOf = (message: Message | undefined, type: string) =>
      (message?.content ?? []).filter((part) => part.type === type).map((part) => part.toolCallId)
    const answered: unknown[] = []
    messages.forEach((message, at) => {
      const calls = idsOf(message, 'tool-call')
      if (calls.length === 0) return
      expect(messages[at + 1]?.role, `seed ${seed}`).toBe('tool')
      expect(idsOf(messages[at + 1], 'tool-result'), `seed ${seed}`).toEqual(calls)
      answered.push(...calls)
    })
    expect(answered.toSorted(), `seed ${seed}`).toEqual(callIds.toSorted())
    expect(messages.filter(({ role }) => role === 'tool').length).toBe(
      messages.filter((message) => idsOf(message, 'tool-call').length > 0).length,
    )
    const found = [...JSON.stringify(messages).matchAll(/text \d+\./g)].map(([text]) => text)
    expect(found.toSorted(), `seed ${seed}`).toEqual(texts.toSorted())
  }
})
