import {
  type AgentOptions,
  type AgentRunOptions,
  createAgent,
  InMemoryAgentMemory,
  type RunOptions,
  scriptedModel,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { rejection, simpleTool, thrown, watched } from './support.ts'

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

const nothing = () => {}
const storeMethods = {
  save: nothing,
  load: nothing,
  delete: nothing,
  listSessionIds: nothing,
  listSessions: nothing,
}

describe('createAgent refuses', () => {
  const t = simpleTool('t', () => 1)
  it.each([
    ['no client', { modelClient: undefined }],
    ['a client without create', { modelClient: {} }],
    ['no model', { model: undefined }],
    ['a blank model', { model: ' ' }],
    ['a model that is no text', { model: 5 }],
    ['instructions that are no text', { instructions: 5 }],
    ['tools that are no list', { tools: t }],
    ['a tool that tool() has not made', { tools: [{ name: 't', execute: () => 1 }] }],
    ['no tool in the list', { tools: [t, undefined] }],
    ['a tool without execute', { tools: [{ ...t, execute: 1 }] }],
    ['a tool without a name', { tools: [{ ...t, name: undefined }] }],
    ['two tools of one name', { tools: [t, simpleTool('t', () => 2)] }],
    ['a supplier that is no function', { memorySupplier: new InMemoryAgentMemory() }],
    ['no steps', { maxSteps: 0 }],
    ['an option that does not exist', { memorySuplier: () => {} }],
    ['a negative number of steps', { maxSteps: -1 }],
    ['half a step', { maxSteps: 1.5 }],
    ['endless steps', { maxSteps: Number.POSITIVE_INFINITY }],
    ['steps that are no number', { maxSteps: '5' }],
    ['steps that are null', { maxSteps: null }],
    ['settings that are none', { settings: 'hot' }],
    ['a store without one of its methods', { sessionStore: { ...storeMethods, listSessions: 1 } }],
    ['a projector that is none', { projector: {} }],
    ['half a policy', { compactPolicy: { compact: () => {} } }],
  ])('%s', (_, wrong) => {
    const options = { modelClient: scriptedModel([]), model: 'm', ...wrong } as AgentOptions
    thrown(() => createAgent(options), 'INVALID_ARGUMENT')
  })

  it('naming the method that is missing', () => {
    const options = { modelClient: scriptedModel([]), model: 'm' }
    for (const name of Object.keys(storeMethods)) {
      const sessionStore = { ...storeMethods, [name]: undefined } as never
      const error = thrown(() => createAgent({ ...options, sessionStore }), 'INVALID_ARGUMENT')
      expect(error.message).toContain(`sessionStore must have a method ${name},`)
    }
    createAgent({ ...options, sessionStore: storeMethods as never })
  })

  it('options that are none', () => {
    thrown(() => createAgent(undefined as never), 'INVALID_ARGUMENT')
    thrown(() => createAgent(null as never), 'INVALID_ARGUMENT')
    thrown(() => createAgent([] as never), 'INVALID_ARGUMENT')
  })

  it('settings that JSON cannot carry', () => {
    const options = { modelClient: scriptedModel([]), model: 'm', settings: { at: new Date() } }
    thrown(() => createAgent(options as never), 'NOT_SERIALIZABLE')
  })
})

describe('a run refuses, before anything is written or asked,', () => {
  const start = () => {
    const log: string[] = []
    const memory = watched(new InMemoryAgentMemory(), { before: (method) => log.push(method) })
    const modelClient = scriptedModel(['x'])
    const agent = createAgent({ modelClient, model: 'm', memorySupplier: () => memory })
    return { log, memory, modelClient, agent }
  }

  it.each([
    ['a number', 5, 'INVALID_ARGUMENT'],
    ['a list with a text', ['x'], 'INVALID_ARGUMENT'],
    ['a list with null', [null], 'INVALID_ARGUMENT'],
    ['a function', () => 1, 'INVALID_ARGUMENT'],
    ['a cycle', cycle, 'NOT_SERIALIZABLE'],
    ['a date', [{ type: 'message', at: new Date() }], 'NOT_SERIALIZABLE'],
    ['a class instance', new Map(), 'NOT_SERIALIZABLE'],
  ] as const)('input that is %s', async (_, input, code) => {
    const { agent, memory, log, modelClient } = start()
    await rejection(agent.run(input as never, { memory }), code)
    const session = await agent.session('s')
    log.length = 0
    await rejection(session.run(input as never), code)
    expect(log).toEqual([])
    expect(modelClient.prompts).toEqual([])
  })

  it.each([
    ['none', null],
    ['a list', []],
    ['text', 'x'],
    ['no signal', { signal: {} }],
    ['a signal that is null', { signal: null }],
    ['half a signal', { signal: { aborted: false } }],
    ['no steps', { maxSteps: 0 }],
  ])('options that are %s', async (_, options) => {
    const { agent, log, modelClient } = start()
    await rejection(agent.run('x', options as unknown as AgentRunOptions), 'INVALID_ARGUMENT')
    const session = await agent.session('s')
    log.length = 0
    await rejection(session.run('x', options as unknown as RunOptions), 'INVALID_ARGUMENT')
    expect(log).toEqual([])
    expect(modelClient.prompts).toEqual([])
  })

  it.each([
    ['none', {}],
    ['null', null],
    ['text', 'x'],
  ])('a memory that is %s', async (_, memory) => {
    const { agent, modelClient } = start()
    await rejection(agent.run('x', { memory: memory as never }), 'INVALID_ARGUMENT')
    expect(modelClient.prompts).toEqual([])
  })
})

describe('a projector', () => {
  it.each([
    ['is asynchronous', async () => ({ items: [], report: {} }), 'projector.project must be'],
    ['rejects', () => Promise.reject(new Error('late')), 'projector.project must be synchronous'],
    ['answers nothing', () => {}, 'The answer of project must be { items, report }'],
    ['answers no report', () => ({ items: [] }), 'The answer of project must be { items, report }'],
    ['answers no items', () => ({ report: {} }), 'The answer of project must be { items, report }'],
  ])('that %s is refused, and no model is asked', async (_, project, message) => {
    const modelClient = scriptedModel(['x'])
    const projector = { project } as never
    const error = await rejection(
      createAgent({ modelClient, model: 'm', projector }).run('x'),
      'INVALID_ARGUMENT',
    )
    expect(error.message).toContain(message)
    expect(modelClient.prompts).toEqual([])
  })
})
