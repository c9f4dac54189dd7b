import type { AgentEvent, AgentEventType, JsonObject } from '@holdfast/core'
import { user } from '../memory/expect.ts'
import { HOSTILE } from '../memory/hostile.ts'
import { assertStored, grown, inputs, sessionOf } from './session-snapshots.ts'
import { storeCase } from './session-store-harness.ts'

const attributesOf = (id: string, attributes: JsonObject) =>
  sessionOf(id, 1, { metadata: { createdAt: 1, updatedAt: 2, attributes } })

const PAYLOADS: Readonly<Record<AgentEventType, JsonObject>> = {
  USER_INPUT: { items: [user('a') as JsonObject] },
  MEMORY_ITEMS_APPENDED: { items: [{ type: 'reasoning', encrypted: '…' }, { type: 'message' }] },
  TOOL_RESULT: {
    callId: 'c',
    name: 'look',
    output: [{ type: 'input_text' }],
    ok: false,
    error: 'E',
  },
  TOOL_OUTPUT_REPLACED: { callId: 'c', output: '' },
  MEMORY_COMPRESS: { report: { dropped: 1, repairs: [] } },
  SESSION_RESTORED: { reason: 'resume', unchanged: true },
  STEP_START: {},
  MODEL_REQUEST: { model: 'm', items: 3, tools: 0 },
  MODEL_RETRY: { attempt: 1, delayMs: 12.5, error: 'busy' },
  MODEL_RESPONSE: { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, calls: 0 },
  TOOL_CALL: { callId: 'c', name: 'look', arguments: '{"a": 1}' },
  INTERRUPTED: { callId: 'c', name: 'look', request: { ask: [null] } },
  ANSWERED: { callId: 'c', answer: { reply: null } },
  FINAL_OUTPUT: { text: 't', output: [1] },
  STEP_END: { calls: 1 },
  ERROR: { code: 'MODEL_FAILED', message: 'm', during: 'model' },
}

/** RULE values: what comes back as it was. */
export const keptValueCases = [
  storeCase(
    'keeps-numbers-and-dates',
    'numbers, times and dates written as text in metadata and attributes come back as they were',
    async ({ store, other, newId }) => {
      const session = sessionOf(newId(), 1, {
        metadata: {
          createdAt: 1_700_000_000_123.5,
          updatedAt: 0,
          attributes: {
            date: '2026-01-02T03:04:05.678Z',
            day: '2026-01-02',
            digits: '0012',
            big: '12345678901234567890',
            numbers: [0, -1, 0.1 + 0.2, 1e21, 5e-324, 2 ** 53 - 1, 1_700_000_000_000],
            others: [true, false, null, 'true', 'null', ''],
          },
        },
      })
      await store.save(session)
      await assertStored([store, other], session)
    },
  ),
  storeCase(
    'keeps-hostile-attributes',
    'U+0000, lone surrogates, emoji, quotes and escapes come back the same, as keys and as values of attributes',
    async ({ store, other, newId }) => {
      const session = attributesOf(newId(), {
        values: HOSTILE,
        keys: Object.fromEntries(HOSTILE.map((key, index) => [`k${key}`, index])),
      })
      const { revision } = await store.save(session)
      await assertStored([store, other], session)
      await store.save({ ...session, revision })
      await assertStored([store, other], session)
    },
  ),
  storeCase(
    'keeps-prototype-keys',
    '__proto__, constructor and their like are plain data in attributes, events and items',
    async ({ store, other, newId }) => {
      const text =
        '{"type":"x","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"text","then":"not a promise"}'
      const item = JSON.parse(text)
      const event: AgentEvent = { ...inputs(1)[0], payload: { items: [item], deep: item } } as never
      const session = sessionOf(newId(), 0, {
        metadata: { createdAt: 1, updatedAt: 2, attributes: JSON.parse(text) },
        memory: { items: [item] },
        events: [event],
      })
      await store.save(session)
      await assertStored([store, other], session)
    },
  ),
  storeCase(
    'keeps-hostile-texts',
    'every hostile text comes back the same in events, items and summary',
    async ({ store, other, newId }) => {
      const base = sessionOf(newId(), 0)
      let session = sessionOf(base.id, 0, {
        events: HOSTILE.map((text, index) => ({
          sequence: index + 1,
          type: 'USER_INPUT' as const,
          at: index,
          runId: `run ${text}`,
          payload: { items: [user(text) as JsonObject], [`key ${text}`]: text },
        })),
      })
      let { revision } = await store.save(session)
      await assertStored([store, other], session)
      for (const summary of HOSTILE) {
        session = { ...session, memory: { items: session.memory.items, summary }, revision }
        ;({ revision } = await store.save(session))
        await assertStored([other], session)
      }
    },
  ),
  storeCase(
    'keeps-events',
    'events of every type come back with every field that they had and none that they had not',
    async ({ store, other, newId }) => {
      const events = Object.entries(PAYLOADS).flatMap(([type, payload], index): AgentEvent[] => {
        const event = { type: type as AgentEventType, at: 1_000 - index + 0.5, payload }
        const sequence = 1 + index * 5
        return [
          { sequence, ...event },
          { sequence: sequence + 1, ...event, runId: 'run' },
          { sequence: sequence + 2, ...event, runId: 'run', step: 0 },
        ]
      })
      const session = sessionOf(newId(), 0, { events, memory: { items: [user('a')] } })
      const { revision } = await store.save(session)
      await assertStored([store, other], session)
      const next = grown(session, revision, 3)
      await store.save(next)
      await assertStored([store, other], next)
    },
  ),
  storeCase(
    'keeps-order',
    '1,200 events that were saved in parts come back in order, whatever their times say',
    async ({ store, other, newId }) => {
      let session = sessionOf(newId(), 0)
      let { revision } = await store.save(session)
      for (const count of [9, 2, 90, 300, 1, 798]) {
        session = grown(session, revision, count)
        ;({ revision } = await store.save(session))
      }
      await assertStored([store, other], session)
    },
  ),
  storeCase(
    'keeps-5-megabytes',
    'an event, an item and a summary of 5 MB each come back identical, and the session goes on',
    async ({ store, other, newId }) => {
      const long = ['x'.repeat(5_000_000), '日😀'.repeat(800_000), '"\\\u0000'.repeat(500_000)]
      const [first = '', second = '', third = ''] = long
      const session = sessionOf(newId(), 0, {
        events: [
          ...inputs(2),
          {
            sequence: 3,
            type: 'USER_INPUT',
            at: 3,
            payload: { items: [user(first) as JsonObject] },
          },
          ...inputs(2, 4),
        ],
        memory: { items: [user('a'), user(second), user('b')], summary: third },
      })
      const { revision } = await store.save(session)
      await assertStored([store, other], session)
      const next = grown(session, revision)
      await other.save(next)
      await assertStored([store], next)
    },
  ),
]
