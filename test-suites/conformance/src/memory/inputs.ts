import assert from 'node:assert/strict'
import type { AgentItem } from '@holdfast/core'
import { recording } from './compressors.ts'
import {
  assertItems,
  assistant,
  call,
  failure,
  lasting,
  readersOf,
  system,
  toolOutput,
  user,
} from './expect.ts'
import { all, always, compresses, memoryCase, persistent } from './memory-case.ts'
import type { TestedMemory } from './memory-harness.ts'

const NOTHING = [null, undefined] as const

/** Every add that has nothing to add. */
async function addNothing(memory: TestedMemory): Promise<void> {
  for (const nothing of NOTHING) {
    await memory.addUserInput(nothing)
    await memory.addOutputItems(nothing)
    await memory.addToolOutput(nothing, 'lost')
    await memory.addToolOutput(nothing, [{ type: 'input_text', text: 'lost' }])
  }
  await memory.addUserInput([])
  await memory.addOutputItems([])
}

/** What an add of the wrong type is called with: types forbid it, JavaScript does not. */
const wrong = (value: unknown) => value as never

export const inputCases = [
  memoryCase(
    'input-text-becomes-a-user-message',
    'text input is stored as a user message, empty text as an empty one',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      await memory.addUserInput('hello')
      await memory.addUserInput('')
      await assertItems(memory, [user('hello'), user('')])
    },
  ),
  memoryCase(
    'input-objects-as-they-are',
    'an item, or several, are stored as they are',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      const picture = {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_image', image_url: 'data:,' }],
      }
      await memory.addUserInput(picture)
      await memory.addUserInput([user('a'), system('b'), { role: 'user', content: 'bare' }])
      await assertItems(memory, [
        picture,
        user('a'),
        system('b'),
        { role: 'user', content: 'bare' },
      ])
    },
  ),
  memoryCase(
    'output-any-type-untouched',
    'items of every type, unknown ones too, pass through untouched and in order',
    always,
    async (harness) => {
      const id = harness.newId()
      const memory = await harness.open(id)
      const items: AgentItem[] = [
        { type: 'reasoning', id: 'r1', summary: [], encrypted_content: 'x'.repeat(100) },
        assistant('thinking'),
        call('c1'),
        call('c2'),
        { type: 'something_new', nested: { deep: [1, { two: null }] } },
        { no_type: true },
        {},
      ]
      await memory.addOutputItems(items)
      for (const reader of await readersOf(harness, id, memory)) await assertItems(reader, items)
    },
  ),
  memoryCase(
    'tool-output-shape',
    'a tool output is a function_call_output with the call id and the text or the parts',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      const parts = [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'data:,' },
      ]
      await memory.addToolOutput('c1', 'plain text')
      await memory.addToolOutput('c2', parts)
      await memory.addToolOutput('c3', '')
      await memory.addToolOutput('c4', [])
      await memory.addToolOutput('c5', '{"json":"text"}')
      await assertItems(memory, [
        toolOutput('c1', 'plain text'),
        toolOutput('c2', parts),
        toolOutput('c3', ''),
        toolOutput('c4', []),
        toolOutput('c5', '{"json":"text"}'),
      ])
    },
  ),
  memoryCase(
    'null-adds-no-item',
    'a null or undefined call id, input or output adds no item',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      await addNothing(memory)
      await assertItems(memory, [])
      await memory.addUserInput('hello')
      await addNothing(memory)
      await assertItems(memory, [user('hello')])
    },
  ),
  memoryCase(
    'null-runs-no-compressor',
    'an add with nothing to add does not run the compressor',
    compresses,
    async (harness) => {
      const compressor = recording()
      const memory = await harness.open(harness.newId(), { compressor })
      await memory.addUserInput('hello')
      compressor.seen.length = 0
      await addNothing(memory)
      assert.equal(compressor.seen.length, 0)
    },
  ),
  memoryCase(
    'null-writes-nothing',
    'an add with nothing to add writes nothing: the id is still unused',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const memory = lasting(await harness.open(id))
      await addNothing(memory)
      assert.equal(await lasting(await harness.reopen(id)).adopt({ items: [user('mine')] }), true)
    },
  ),
  memoryCase(
    'empty-call-id-refused',
    'an empty call id is INVALID_ARGUMENT and stores nothing',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      await failure(memory.addToolOutput('', 'lost'), 'INVALID_ARGUMENT')
      await failure(memory.addToolOutput('', []), 'INVALID_ARGUMENT')
      await assertItems(memory, [])
    },
  ),
  memoryCase(
    'call-id-is-text',
    'call ids that spell null, undefined or a number are ordinary ids',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      const ids = ['null', 'undefined', '0', 'false', ' ', 'call_0']
      for (const id of ids) await memory.addToolOutput(id, `of ${id}`)
      await assertItems(
        memory,
        ids.map((id) => toolOutput(id, `of ${id}`)),
      )
    },
  ),
  memoryCase(
    'wrong-types-refused',
    'arguments of the wrong type are INVALID_ARGUMENT, as a rejection, and store nothing',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      await memory.addUserInput('kept')
      const attempts: (() => Promise<unknown>)[] = [
        () => memory.addUserInput(wrong(42)),
        () => memory.addUserInput(wrong(true)),
        () => memory.addUserInput(wrong([user('a'), 'bare'])),
        () => memory.addUserInput(wrong([user('a'), null])),
        () => memory.addUserInput(wrong([[user('a')]])),
        () => memory.addOutputItems(wrong('text')),
        () => memory.addOutputItems(wrong(user('not in an array'))),
        () => memory.addOutputItems(wrong([user('a'), 'text'])),
        () => memory.addOutputItems(wrong([null])),
        () => memory.addToolOutput(wrong(7), 'x'),
        () => memory.addToolOutput(wrong({}), 'x'),
        () => memory.addToolOutput('c', wrong(undefined)),
        () => memory.addToolOutput('c', wrong(null)),
        () => memory.addToolOutput('c', wrong(42)),
        () => memory.addToolOutput('c', wrong({ type: 'input_text', text: 'not in an array' })),
        () => memory.addToolOutput('c', wrong(['bare'])),
      ]
      for (const attempt of attempts) await failure(attempt(), 'INVALID_ARGUMENT')
      await assertItems(memory, [user('kept')])
    },
  ),
  memoryCase(
    'null-before-anything-else',
    'a null call id does nothing even where the compressor would fail',
    all(compresses),
    async (harness) => {
      const memory = await harness.open(harness.newId(), {
        compressor: {
          compress: () => {
            throw new Error('must not run')
          },
        },
      })
      await addNothing(memory)
      await assertItems(memory, [])
    },
  ),
]
