import assert from 'node:assert/strict'
import { type AgentMemory, createAgent, type Persistent, scriptedModel } from '@holdfast/core'
import type { ConformanceCase } from '../case.ts'
import { assistant, failure, textsOf, user } from './expect.ts'

/** What an agent asks for the memory of each session. */
export type MemorySupplier = (sessionId: string) => AgentMemory | Promise<AgentMemory>

/** What a supplier case works on. */
export interface SupplierHarness {
  /** Its memories outlive the session object: the same id continues. */
  readonly persistent: boolean
  /** The supplier of the first process. */
  readonly supply: MemorySupplier
  /** The supplier of a second process over the same storage. Persistent suppliers only. */
  readonly resupply: MemorySupplier
  /** An id that nobody used before. */
  newId(): string
}

/** A rule of what an agent is given for `memorySupplier`. */
export type SupplierCase = ConformanceCase<SupplierHarness>

const lasting = (harness: SupplierHarness) =>
  harness.persistent || 'the memories of this supplier do not outlive their session'

/** An agent that answers `echo` and how many items it was shown, each time. */
const agentOf = (memorySupplier: MemorySupplier, turns = 4) =>
  createAgent({
    modelClient: scriptedModel(
      Array.from(
        { length: turns },
        () =>
          ({ items }) =>
            `echo of ${items.length}`,
      ),
    ),
    model: 'scripted',
    memorySupplier,
  })

const supplierCase = (
  id: string,
  name: string,
  run: (harness: SupplierHarness) => Promise<void>,
  applies?: SupplierCase['applies'],
): SupplierCase => ({ id: `supplier-${id}`, name, run, ...(applies ? { applies } : {}) })

const lookAlikes = (base: string) => [
  base,
  base.toUpperCase(),
  `${base} `,
  ` ${base}`,
  `${base}0`,
  `${base}:b`,
  `${base}/b`,
  `${base}*`,
  `${base}%`,
  `${base}'`,
  `${base}{x}`,
  `${base}\u00e4`,
  `${base}a\u0308`,
  `${base}😀`,
  `../${base}`,
]

/** RULE session isolation, as an agent sees it. */
export const supplierCases: readonly SupplierCase[] = [
  supplierCase(
    'answers-a-memory',
    'the supplier answers a memory with every method of the contract',
    async ({ supply, newId }) => {
      const memory: Partial<AgentMemory> = await supply(newId())
      const names = ['addUserInput', 'addOutputItems', 'addToolOutput', 'getItems'] as const
      for (const name of [...names, 'getSummary', 'clear'] as const) {
        assert.equal(typeof memory?.[name], 'function', `${name}() is missing`)
      }
      await agentOf(supply).session(newId())
    },
  ),
  supplierCase(
    'new-sessions-are-empty',
    'the memory of a new session is empty: newSession takes it for new',
    async ({ supply, newId }) => {
      const session = await agentOf(supply).newSession({ id: newId() })
      assert.deepStrictEqual(await session.memory.getItems(), [])
      assert.equal(await session.memory.getSummary(), undefined)
    },
  ),
  supplierCase(
    'sessions-apart',
    'each session gets a container of its own: nothing of one is seen in another',
    async ({ supply, newId }) => {
      const agent = agentOf(supply)
      const [one, two] = [await agent.session(newId()), await agent.session(newId())]
      await one.run('of one')
      await two.run('of two')
      await one.run('of one again')
      assert.deepStrictEqual(await one.memory.getItems(), [
        user('of one'),
        assistant('echo of 1'),
        user('of one again'),
        assistant('echo of 3'),
      ])
      assert.deepStrictEqual(await two.memory.getItems(), [user('of two'), assistant('echo of 1')])
      await one.clear()
      assert.equal((await two.memory.getItems()).length, 2)
    },
  ),
  {
    ...supplierCase(
      'many-sessions-at-once',
      'forty sessions that are opened and run at the same time keep exactly their own items',
      async ({ supply, newId }) => {
        const agent = agentOf(supply, 40)
        const ids = Array.from({ length: 40 }, newId)
        const sessions = await Promise.all(ids.map((id) => agent.session(id)))
        await Promise.all(sessions.map((session) => session.run(`of ${session.id}`)))
        for (const [index, session] of sessions.entries()) {
          assert.deepStrictEqual(textsOf(await session.memory.getItems()), [
            `of ${ids[index]}`,
            'echo of 1',
          ])
        }
      },
    ),
    race: true,
  },
  supplierCase(
    'look-alike-ids-apart',
    'sessions whose ids look alike are different sessions',
    async ({ supply, newId }) => {
      const ids = lookAlikes(newId())
      const agent = agentOf(supply, ids.length)
      const sessions = []
      for (const id of ids) sessions.push(await agent.session(id))
      for (const session of sessions) await session.run(`of <${session.id}>`)
      for (const { id, memory } of sessions) {
        assert.deepStrictEqual(textsOf(await memory.getItems()), [`of <${id}>`, 'echo of 1'])
      }
    },
  ),
  supplierCase(
    'same-id-twice',
    'one id may be open twice: both session objects share one state',
    async ({ supply, newId }) => {
      const id = newId()
      const agent = agentOf(supply)
      const [one, two] = [await agent.session(id), await agent.session(id)]
      await one.run('first')
      await two.run('second')
      assert.deepStrictEqual(textsOf(await one.memory.getItems()), [
        'first',
        'echo of 1',
        'second',
        'echo of 3',
      ])
    },
    lasting,
  ),
  supplierCase(
    'resumes',
    'another agent, in this process or in another, continues a session by its id',
    async ({ supply, resupply, newId }) => {
      const id = newId()
      await (await agentOf(supply).session(id)).run('first')
      for (const again of [supply, resupply]) {
        const session = await agentOf(again).session(id)
        const before = await session.memory.getItems()
        assert.deepStrictEqual(textsOf(before).slice(0, 2), ['first', 'echo of 1'])
        await session.run('next')
      }
      const { memory } = await agentOf(supply).session(id)
      assert.equal((await memory.getItems()).length, 6)
      await failure(agentOf(supply).newSession({ id }), 'CONFLICT')
    },
    lasting,
  ),
  supplierCase(
    'opening-writes-nothing',
    'opening a session stores nothing',
    async ({ supply, resupply, newId }) => {
      const id = newId()
      await agentOf(supply).session(id)
      const memory: AgentMemory & Partial<Persistent> = await resupply(id)
      assert.deepStrictEqual(await memory.getItems(), [])
      if (memory.adopt) assert.equal(await memory.adopt({ items: [] }), true)
    },
    lasting,
  ),
  supplierCase(
    'identity-is-the-ids',
    'the memories of one id have one identity, those of two ids have two',
    async ({ supply, newId }) => {
      const id = newId()
      const identities: unknown[] = []
      for (const each of [id, id, newId()]) {
        const memory: AgentMemory & Partial<Persistent> = await supply(each)
        assert.equal(typeof memory.identity, 'object', 'a persistent memory has an identity')
        identities.push(memory.identity)
      }
      assert.ok(identities[0] === identities[1])
      assert.ok(identities[0] !== identities[2])
    },
    lasting,
  ),
]
