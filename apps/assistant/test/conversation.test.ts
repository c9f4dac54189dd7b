import {
  type AgentPrompt,
  createStorage,
  MemoryDriver,
  type ModelClient,
  scriptedModel,
} from '@holdfast/core'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../src/chat/commands.ts'
import { Conversation } from '../src/chat/conversation.ts'
import { ruleBasedModel } from '../src/model/rule-based-model.ts'
import { Folder } from '../src/tools/folder.ts'
import { temporaryFolder } from './temporary.ts'

async function open(client: ModelClient, driver = new MemoryDriver(), sessionId = 's') {
  return Conversation.open({
    storage: createStorage(driver),
    folder: await Folder.open(temporaryFolder({ LICENSE: 'free', 'a.txt': 'x' })),
    model: { client, name: 'test', notice: '' },
    mask: (text) => text,
    contextTokens: 32_000,
    approved: false,
    sessionId,
  })
}

/** The answer to `input`. */
async function ask(
  chat: Conversation,
  input: string | null,
  signal = new AbortController().signal,
): Promise<string> {
  return (await chat.ask(input, signal).result).text
}

/** The rule-based model, keeping the prompts that it was shown. */
function recording(): { client: ModelClient; prompts: AgentPrompt[] } {
  const prompts: AgentPrompt[] = []
  return {
    prompts,
    client: {
      create: ruleBasedModel.create,
      stream(prompt, options) {
        prompts.push(structuredClone(prompt))
        return (ruleBasedModel.stream as NonNullable<ModelClient['stream']>)(prompt, options)
      },
    },
  }
}

test('/memory shows exactly what the model is shown next', async () => {
  const { client, prompts } = recording()
  const chat = await open(client)
  await ask(chat, 'what is 2+2 and read LICENSE')
  const shown = JSON.parse((await runCommand('/memory --json', chat)).text)
  await ask(chat, 'hello')
  const next = prompts.at(-1)?.items ?? []
  expect(next.slice(0, -1)).toEqual(shown)
  expect(next.at(-1)).toMatchObject({ role: 'user' })
  const { text } = await runCommand('/memory', chat)
  expect(text.split('\n')).toHaveLength(next.length + 2)
  expect(text).toContain('  1 user: what is 2+2 and read LICENSE')
  expect(text).toContain('call read_file {"path":"LICENSE"}')
  expect(text).toMatch(/^8 items; /m)
})

describe('the rule-based model', () => {
  test('asks for independent tools at once and for dependent ones in turn', async () => {
    const { client, prompts } = recording()
    const chat = await open(client)
    expect(await ask(chat, 'what is 2+2 and read LICENSE')).toBe('2+2 = 4\nLICENSE:\nfree')
    expect(prompts).toHaveLength(2)
    expect(await ask(chat, 'add todo tea and add todo milk and what is on my list')).toBe(
      'Added #1 tea\nAdded #2 milk\nYour list:\n#1 [ ] tea\n#2 [ ] milk',
    )
    expect(prompts).toHaveLength(5)
    expect(await ask(chat, 'mark 1 and 2 done, and remove 1')).toBe(
      'Done: #1 tea\nDone: #2 milk\nRemoved #1 tea',
    )
    expect(await ask(chat, 'what is 2+2 and what is 2+2')).toBe('2+2 = 4\n2+2 = 4')
  })

  test('answers from what the tools say, errors included', async () => {
    const chat = await open(ruleBasedModel)
    expect(await ask(chat, 'read nothing.txt')).toBe(
      'nothing.txt:\nError: "nothing.txt" does not exist.',
    )
    expect(await ask(chat, 'what is 1/0')).toMatch(/^1\/0 = infinity/)
    expect(await ask(chat, 'calculate foo')).toMatch(/^foo: Error: "foo" is unknown/)
    expect(await ask(chat, 'mark 7 done')).toBe('Error: There is no to-do "7".')
    expect(await ask(chat, 'juggle')).toMatch(/^I do not understand "juggle"/)
  })

  test('knows what was asked before from memory alone, in another process too', async () => {
    const driver = new MemoryDriver()
    const first = await open(ruleBasedModel, driver)
    expect(await ask(first, 'what did I ask before?')).toMatch(/^This is the first/)
    for (let n = 0; n < 12; n++) await ask(first, `what is ${n}+1`)
    const second = await open(ruleBasedModel, driver)
    const answer = await ask(second, 'what did I ask before?')
    expect(answer.split('\n')).toHaveLength(12)
    expect(answer).toMatch(/^You asked 13 things before:\n {2}…\n {2}4\. what is 2\+1\n/)
    expect(answer).toMatch(/ {2}13\. what is 11\+1$/)
    const other = await open(ruleBasedModel, driver, 'other')
    expect(await ask(other, 'what did I ask before?')).toMatch(/^This is the first/)
  })
})

describe('an answer that is stopped', () => {
  test('ends at once, is remembered as stopped, and is not gone on with', async () => {
    const controller = new AbortController()
    const chat = await open({ create: () => new Promise(() => controller.abort()) })
    await expect(ask(chat, 'think for ever', controller.signal)).rejects.toMatchObject({
      code: 'ABORTED',
    })
    expect(await chat.isUnanswered()).toBe(false)
    const { items } = await chat.session.memory.snapshot()
    expect(items.map(({ role }) => role)).toEqual(['user'])
    expect(await ask(await open(ruleBasedModel), 'what is 1+1')).toBe('1+1 = 2')
  })

  test('a failed one is gone on with', async () => {
    const chat = await open(
      scriptedModel([
        () => {
          throw new Error('no connection')
        },
        'now',
      ]),
    )
    await expect(ask(chat, 'hello')).rejects.toMatchObject({ code: 'MODEL_FAILED' })
    expect(await chat.isUnanswered()).toBe(true)
    expect(await ask(chat, null)).toBe('now')
    expect(await chat.isUnanswered()).toBe(false)
  })
})

test('a model that goes round in circles is ended', async () => {
  const chat = await open({
    create: async () => ({
      memoryItems: [{ type: 'function_call', name: 'calculate', arguments: '{"expression":"1"}' }],
      toolCalls: [{ name: 'calculate', arguments: '{"expression":"1"}' }],
      text: '',
    }),
  })
  await expect(ask(chat, 'go')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
})

test('begin and resume check their ids', async () => {
  const chat = await open(ruleBasedModel)
  await expect(chat.begin(' ')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await expect(chat.resume('unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(chat.id).toBe('s')
})
