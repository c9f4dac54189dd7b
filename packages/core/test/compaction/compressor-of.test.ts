import { expect, test } from 'vitest'
import { isDue } from '../../src/compaction/is-due.ts'
import {
  type AgentItem,
  type CompactPolicy,
  compressorOf,
  InMemoryAgentMemory,
  StructuredCompactPolicy,
} from '../../src/index.ts'
import { assistant, call, output, user } from './support.ts'

test('a memory compacts itself, and keeps the unfinished turn', async () => {
  const policy = new StructuredCompactPolicy({ maxItems: 4, keepRecentItems: 0 })
  const memory = new InMemoryAgentMemory({ compressor: compressorOf(policy) })
  await memory.addUserInput('The deploy key is rotated on Fridays')
  await memory.addOutputItems([assistant('Noted.')])
  const now = [user('go on'), call('a'), output('a', 'x')]
  await memory.addUserInput(now[0])
  await memory.addOutputItems([now[1] as AgentItem])
  expect((await memory.snapshot()).items).toHaveLength(4)
  await memory.addToolOutput('a', 'x')
  const { items, summary } = await memory.snapshot()
  expect(items).toEqual(now)
  expect(summary).toContain('- The deploy key is rotated on Fridays')
  await memory.addOutputItems([call('b'), call('c')])
  expect((await memory.snapshot()).items).toHaveLength(5)
})

test('a policy that is asked and answers later is refused, and its rejection ends no process', async () => {
  const snapshot = { items: [user('1'), assistant('x'), user('2')] }
  for (const answer of [Promise.resolve(false), Promise.reject(new Error('late'))]) {
    const policy = {
      shouldCompact: () => answer as never,
      compact: () => expect.fail('compacts nothing'),
    }
    const refused = expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('shouldCompact must be synchronous'),
    })
    expect(() => compressorOf(policy).compress(snapshot)).toThrow(refused)
    expect(() => isDue(policy, snapshot)).toThrow(refused)
  }
  const says = (due: boolean) =>
    isDue({ shouldCompact: () => due, compact: () => expect.fail() }, snapshot)
  expect([says(true), says(false)]).toEqual([true, false])
  await new Promise((resolve) => setTimeout(resolve, 5))
})

test('a policy that answers later sees the turns that are over, and no more', async () => {
  const seen: AgentItem[][] = []
  const policy: CompactPolicy = {
    shouldCompact: () => true,
    async compact({ items }) {
      seen.push([...items])
      const lists = { completed: [], pending: [], decisions: [], files: [], openQuestions: [] }
      return {
        ...new StructuredCompactPolicy().compact({ items }),
        ...lists,
        memory: { items: [], summary: 'short' },
      }
    },
  }
  const { compress } = compressorOf(policy)
  const open = [user('2'), call('a')]
  expect(await compress({ items: [user('1'), assistant('x'), ...open] })).toEqual({
    items: open,
    summary: 'short',
  })
  expect(await compress({ items: open })).toEqual({ items: open })
  expect(seen).toEqual([[user('1'), assistant('x')]])
})
