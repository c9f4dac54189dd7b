import { describe, expect, it } from 'vitest'
import {
  type AgentMemory,
  type AgentSessionStore,
  createAgent,
  createStorage,
  InMemoryAgentMemory,
  InMemoryAgentSessionStore,
  MemoryDriver,
  scriptedModel,
} from '../../src/index.ts'

type Parts = { sessionStore: AgentSessionStore; memorySupplier: (id: string) => AgentMemory }

const STORES: Record<string, () => Parts> = {
  'kept in memory': () => ({
    sessionStore: new InMemoryAgentSessionStore(),
    memorySupplier: () => new InMemoryAgentMemory(),
  }),
  stored: () => ({
    sessionStore: createStorage(new MemoryDriver()).sessions(),
    memorySupplier: () => new InMemoryAgentMemory(),
  }),
  'stored beside its memory': () => {
    const storage = createStorage(new MemoryDriver())
    return { sessionStore: storage.sessions(), memorySupplier: (id) => storage.memory(id) }
  },
}

describe('a real session', () => {
  for (const [name, open] of Object.entries(STORES)) {
    for (const autosave of ['off', 'run', 'step', 'sync'] as const) {
      it(`${name} (autosave ${autosave}) is loaded as it is, whatever was trimmed, undone and cleared`, async () => {
        const parts = open()
        const agent = () => {
          const modelClient = scriptedModel(Array.from({ length: 20 }, () => ({ text: 'yes' })))
          return createAgent({ modelClient, model: 'm', autosave, ...parts })
        }
        const session = await agent().newSession({ id: 'a', attributes: { x: 1 } })
        const save = async () => {
          await session.save()
          expect(await parts.sessionStore.load('a')).toEqual(await session.snapshot())
        }
        await session.run('one')
        await session.run('two')
        await save()
        await session.run('three')
        const { lastSequence } = session.eventLog
        // With autosave off, some of what goes was never stored.
        await session.trimEvents(lastSequence - 2)
        await session.run('four')
        await save()
        await session.trimEvents(lastSequence + 5)
        await session.undo()
        await save()
        await session.run('five')
        await session.clear()
        await session.run('six')
        await save()

        const { memory } = await session.snapshot()
        const resumed = await agent().resumeSession('a')
        expect((await resumed.snapshot()).memory).toEqual(memory)
        await resumed.run('seven')
        await resumed.save()
        const late = session.run('eight').then(() => session.save())
        await expect(late).rejects.toMatchObject({ code: 'CONFLICT' })
      })
    }
  }
})
