import { openaiChat } from '@holdfast/openai'
import { expect, it } from 'vitest'
import { prompt } from './support/model-checks.ts'
import { randomFrom, randomHistory } from './support/random-history.ts'
import { completion } from './support/wire-server.ts'

interface Message {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly tool_call_id?: string
}

it('answers every call right behind its message, and loses and doubles no text, in 2,000 histories', async () => {
  let messages: Message[] = []
  const create = async (body: object) => {
    messages = JSON.parse(JSON.stringify((body as { messages: unknown }).messages))
    return completion({ role: 'assistant', content: 'ok' })
  }
  const client = openaiChat({ chat: { completions: { create } } })
  for (let seed = 1; seed <= 2_000; seed++) {
    const { items, callIds, texts } = randomHistory(randomFrom(seed))
    await client.create(prompt(items), {})
    const answered: string[] = []
    for (let at = 0; at < messages.length; at++) {
      const calls = (messages[at]?.tool_calls ?? []).map(({ id }) => id)
      const answers = messages.slice(at + 1, at + 1 + calls.length)
      expect(
        answers.map((one) => one.tool_call_id),
        `seed ${seed}`,
      ).toEqual(calls)
      answered.push(...calls)
    }
    expect(answered.toSorted(), `seed ${seed}`).toEqual(callIds.toSorted())
    const tools = messages.filter(({ role }) => role === 'tool')
    expect(tools.length, `seed ${seed}`).toBe(callIds.length)
    const all = messages.map(({ content }) => content ?? '').join(' ')
    const found = [...all.matchAll(/text \d+\./g)].map(([text]) => text)
    expect(found.toSorted(), `seed ${seed}`).toEqual(texts.toSorted())
  }
})
