import {
  type AutosaveMode,
  createAgent,
  createStorage,
  MemoryDriver,
  scriptedModel,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { rejection, settle, simpleTool } from '../runtime/support.ts'
import { agentOf, calls, durable } from './session-support.ts'

const modes: AutosaveMode[] = ['run', 'step', 'sync']

describe('a session that somebody else has saved', () => {
  it('refuses runs and changes before anything is written, once it knows', async () => {
    const driver = new MemoryDriver()
    const opened = () => {
      const storage = createStorage(driver)
      const agent = createAgent({
        modelClient: scriptedModel(['1', '2']),
        model: 'm',
        memorySupplier: (id) => storage.memory(id),
        sessionStore: storage.sessions(),
      })
      return agent.session('s')
    }
    const [first, second] = [await opened(), await opened()]
    await first.run('of the first')
    await first.flush()
    await second.run('of the second')
    await rejection(second.flush(), 'CONFLICT')
    const before = await second.memory.snapshot()
    await rejection(second.run('never stored'), 'CONFLICT')
    await rejection(second.undo(), 'CONFLICT')
    await rejection(second.clear(), 'CONFLICT')
    await rejection(second.restore({ items: [] }), 'CONFLICT')
    expect(await second.memory.snapshot()).toEqual(before)
  })
})

describe('a session that is deleted during its first run', () => {
  it.each(modes)('leaves no record behind (%s)', async (autosave) => {
    const storage = createStorage(new MemoryDriver())
    const end = simpleTool('end', () => agent.deleteSession('s'))
    const agent = createAgent({
      modelClient: scriptedModel([calls('end'), 'never']),
      model: 'm',
      tools: [end],
      memorySupplier: (id) => storage.memory(id),
      sessionStore: storage.sessions(),
      autosave,
    })
    const session = await agent.session('s')
    await rejection(session.run('my secret'), 'CONFLICT')
    await settle()
    await session.flush().catch(() => {})
    expect(await storage.sessions().listSessionIds()).toEqual([])
    expect((await storage.listMemories()).memories).toEqual([])
  })
})

it.each(['off', 'run', 'step', 'sync'] as const)(
  'a session that was deleted is CONFLICT through a handle that is still held (autosave %s)',
  async (autosave) => {
    const { open } = durable()
    const { stores, storage } = open()
    const agent = agentOf(['one', 'two'], { ...stores, autosave })
    const session = await agent.session('s')
    await session.run('secret')
    await session.save()
    expect(await agent.deleteSession('s')).toBe(true)
    await rejection(session.run('x'), 'CONFLICT')
    await rejection(session.restore({ items: [] }), 'CONFLICT')
    expect(await storage.memory('s').getItems()).toEqual([])
    expect(await storage.sessions().listSessionIds()).toEqual([])
  },
)
