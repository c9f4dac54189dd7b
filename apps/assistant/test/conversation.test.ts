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
  return new Conversation({
    storage: createStorage(driver),
    folder: await Folder.open(temporaryFolder({ LICENSE: 'free', 'a.txt': 'x' })),
    model: { client, name: 'test', notice: '' },
    sessionId,
  })
}

/** The rule-based model, keeping the prompts that it was shown. */
function recording(): { client: ModelClient; prompts: AgentPrompt[] } {
  const prompts: AgentPrompt[] = []
  return {
    prompts,
    client: {
      create(prompt, options) {
        prompts.push(structuredClone(prompt))
        return ruleBasedModel.create(prompt, options)
      },
    },
  }
}

test('/memory shows exactly what the model is shown next', async () => {
  const { client, prompts } = recording()
  const chat = await open(client)
  await chat.ask('what is 2+2 and read LICENSE')
  const shown = JSON.parse((await runCommand('/memory --json', chat)).text)
  await chat.ask('hello')
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
    expect(await chat.ask('what is 2+2 and read LICENSE')).toBe('2+2 = 4\nLICENSE:\nfree')
    expect(prompts).toHaveLength(2)
    expect(await chat.ask('add todo tea and add todo milk and what is on my list')).toBe(
      'Added #1 tea\nAdded #2 milk\nYour list:\n#1 [ ] tea\n#2 [ ] milk',
    )
    expect(prompts).toHaveLength(5)
    expect(await chat.ask('mark 1 and 2 done, and remove 1')).toBe(
      'Done: #1 tea\nDone: #2 milk\nRemoved #1 tea',
    )
    expect(await chat.ask('what is 2+2 and what is 2+2')).toBe('2+2 = 4\n2+2 = 4')
  })

  test('answers from what the tools say, errors included', async () => {
    const chat = await open(ruleBasedModel)
    expect(await chat.ask('read nothing.txt')).toBe(
      'nothing.txt:\nError: "nothing.txt" does not exist.',
    )
    expect(await chat.ask('what is 1/0')).toMatch(/^1\/0 = infinity/)
    expect(await chat.ask('calculate foo')).toMatch(/^foo: Error: "foo" is unknown/)
    expect(await chat.ask('mark 7 done')).toBe('Error: There is no to-do "7".')
    expect(await chat.ask('juggle')).toMatch(/^I do not understand "juggle"/)
  })

  test('knows what was asked before from memory alone, in another process too', async () => {
    const driver = new MemoryDriver()
    const first = await open(ruleBasedModel, driver)
    expect(await first.ask('what did I ask before?')).toMatch(/^This is the first/)
    for (let n = 0; n < 12; n++) await first.ask(`what is ${n}+1`)
    const second = await open(ruleBasedModel, driver)
    const answer = await second.ask('what did I ask before?')
    expect(answer.split('\n')).toHaveLength(12)
    expect(answer).toMatch(/^You asked 13 things before:\n {2}…\n {2}4\. what is 2\+1\n/)
    expect(answer).toMatch(/ {2}13\. what is 11\+1$/)
    const other = await open(ruleBasedModel, driver, 'other')
    expect(await other.ask('what did I ask before?')).toMatch(/^This is the first/)
  })
})

describe('an answer that is stopped', () => {
  test('ends at once, is remembered as stopped, and is not gone on with', async () => {
    const controller = new AbortController()
    const chat = await open({ create: () => new Promise(() => controller.abort()) })
    await expect(chat.ask('think for ever', controller.signal)).rejects.toMatchObject({
      code: 'ABORTED',
    })
    expect(await chat.isUnanswered()).toBe(false)
    expect((await chat.items()).at(-1)).toMatchObject({
      role: 'assistant',
      content: [{ text: '[stopped by the user]' }],
    })
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
    await expect(chat.ask('hello')).rejects.toMatchObject({ code: 'MODEL_FAILED' })
    expect(await chat.isUnanswered()).toBe(true)
    expect(await chat.ask(null)).toBe('now')
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
  await expect(chat.ask('go')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
})

test('begin and resume check their ids', async () => {
  const chat = await open(ruleBasedModel)
  expect(() => chat.begin(' ')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  await expect(chat.resume('unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(chat.id).toBe('s')
})
