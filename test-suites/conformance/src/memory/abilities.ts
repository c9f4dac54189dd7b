import assert from 'node:assert/strict'
import { always, memoryCase } from './memory-case.ts'
import type { TestedMemory } from './memory-harness.ts'

const REQUIRED = [
  'addUserInput',
  'addOutputItems',
  'addToolOutput',
  'getItems',
  'getSummary',
  'clear',
] as const
const SNAPSHOT = ['snapshot', 'restore', 'update', 'setSummary'] as const
const PERSISTENT = ['adopt', 'delete', 'pin'] as const

function assertMethods(
  memory: TestedMemory,
  names: readonly (keyof TestedMemory)[],
  there: boolean,
) {
  for (const name of names) {
    assert.equal(
      typeof memory[name] === 'function',
      there,
      `${name}() is ${there ? 'missing' : 'there, which the declared abilities deny'}`,
    )
  }
}

export const abilityCases = [
  memoryCase(
    'abilities-as-declared',
    'the memory has the methods of the abilities that are declared, and no others',
    always,
    async (harness) => {
      const { snapshot, swap, persistent } = harness.abilities
      const memory = await harness.open(harness.newId())
      assertMethods(memory, REQUIRED, true)
      assertMethods(memory, SNAPSHOT, snapshot)
      assertMethods(memory, ['setCompressor'], swap !== 'none')
      assertMethods(memory, PERSISTENT, persistent)
    },
  ),
  memoryCase(
    'promises-never-throws',
    'every method answers a promise, also where it refuses its arguments',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      const calls: (() => unknown)[] = [
        () => memory.addUserInput('one'),
        () => memory.addUserInput(null),
        () => memory.addUserInput({ type: 'x', at: new Date(0) }),
        () => memory.addOutputItems([]),
        () => memory.addOutputItems('text' as never),
        () => memory.addToolOutput(null, 'x'),
        () => memory.addToolOutput('', 'x'),
        () => memory.getItems(),
        () => memory.getSummary(),
        () => memory.clear(),
      ]
      if (memory.restore) calls.push(() => memory.restore?.(null as never))
      if (memory.update) calls.push(() => memory.update?.(null as never))
      if (memory.setSummary) calls.push(() => memory.setSummary?.(7 as never))
      if (memory.setCompressor) calls.push(() => memory.setCompressor?.({} as never))
      if (memory.adopt) calls.push(() => memory.adopt?.(null as never))
      for (const make of calls) {
        const answer = make()
        assert.ok(answer instanceof Promise, `${make} answers a promise`)
        await answer.catch(() => {})
      }
    },
  ),
]
