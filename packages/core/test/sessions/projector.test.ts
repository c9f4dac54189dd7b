import { describe, expect, it } from 'vitest'
import { functionCallOutput, userMessage } from '../../src/contracts/item.ts'
import type { AgentEvent, AgentEventType, JsonObject } from '../../src/index.ts'
import { SessionEventProjector } from '../../src/sessions/session-event-projector.ts'
import { texts } from '../texts.ts'

const { deriveItems, deriveSnapshot, deriveSummary, deriveTranscript } = SessionEventProjector

const log = (...facts: [string, unknown][]): AgentEvent[] =>
  facts.map(([type, payload], index) => ({
    sequence: index + 1,
    type: type as AgentEventType,
    at: 1_000 + index,
    payload: payload as JsonObject,
  }))

const say = (...words: string[]) => ({ items: words.map(userMessage) })
const restored = (reason: string, ...words: string[]) => ({ reason, ...say(...words) })
const shown = (events: readonly AgentEvent[], until?: number) =>
  texts(deriveTranscript(events, { until }).map(({ item }) => item))

describe('the fold', () => {
  it('of no events is an empty memory', () => {
    expect(deriveSnapshot([])).toEqual({ items: [] })
    expect(deriveItems([])).toEqual([])
    expect(deriveSummary([])).toBeUndefined()
    expect(deriveTranscript([])).toEqual([])
  })

  it('adds input, output items and tool results in order', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
    const parts = [{ type: 'input_text', text: 'p' }]
    const events = log(
      ['USER_INPUT', say('a', 'b')],
      ['STEP_START', {}],
      ['MEMORY_ITEMS_APPENDED', { items: [call] }],
      ['TOOL_CALL', { callId: 'c', name: 'f', arguments: '{}' }],
      ['TOOL_RESULT', { callId: 'c', name: 'f', output: 'out', ok: true }],
      ['TOOL_RESULT', { callId: 'd', name: 'f', output: parts, ok: true }],
      ['ERROR', { code: 'X', message: 'items', during: 'x', items: [userMessage('no')] }],
    )
    expect(deriveItems(events)).toEqual([
      userMessage('a'),
      userMessage('b'),
      call,
      functionCallOutput('c', 'out'),
      functionCallOutput('d', parts),
    ])
  })

  it('replaces every output of a call so far, and none of another or a later one', () => {
    const other = { type: 'other', call_id: 'c', output: 'mine' }
    const events = log(
      ['USER_INPUT', { items: [functionCallOutput('c', '1'), other] }],
      ['TOOL_RESULT', { callId: 'c', output: '2' }],
      ['TOOL_RESULT', { callId: 'd', output: '3' }],
      ['TOOL_OUTPUT_REPLACED', { callId: 'c', output: 'new' }],
      ['TOOL_RESULT', { callId: 'c', output: '4' }],
      ['TOOL_OUTPUT_REPLACED', { callId: 'nobody', output: 'new' }],
    )
    const outputs = deriveItems(events).map((item) => item['output'])
    expect(outputs).toEqual(['new', 'mine', 'new', '3', '4'])
    expect(deriveTranscript(events).map(({ item }) => item['output'])).toEqual(outputs)
  })

  it('replaces nothing that stands where an output was before', () => {
    const events = log(
      ['TOOL_RESULT', { callId: 'c', output: '1' }],
      ['TOOL_RESULT', { callId: 'd', output: '2' }],
      ['SESSION_RESTORED', { reason: 'restore', items: [functionCallOutput('e', '3')] }],
      ['TOOL_OUTPUT_REPLACED', { callId: 'c', output: 'new' }],
      ['TOOL_OUTPUT_REPLACED', { callId: 'd', output: 'new' }],
    )
    expect(deriveItems(events)).toEqual([functionCallOutput('e', '3')])
  })

  it('installs what a compaction made, and ignores the report of a projection', () => {
    const events = log(
      ['USER_INPUT', say('a', 'b')],
      ['MEMORY_COMPRESS', { memory: { ...say('b'), summary: 's' }, report: {} }],
      ['MEMORY_COMPRESS', { report: { itemsAfter: 0 } }],
      ['USER_INPUT', say('c')],
    )
    expect(deriveSnapshot(events)).toEqual({ ...say('b', 'c'), summary: 's' })
    expect(deriveSummary(events)).toBe('s')
    expect(deriveSummary(events, { until: 1 })).toBeUndefined()
  })

  it('installs what was restored, and takes a summary away with it', () => {
    const events = log(
      ['SESSION_RESTORED', { reason: 'restore', ...say('a'), summary: 's' }],
      ['SESSION_RESTORED', { reason: 'resume', unchanged: true }],
      ['SESSION_RESTORED', restored('undo', 'b')],
    )
    expect(deriveSnapshot(events, { until: 2 })).toEqual({ ...say('a'), summary: 's' })
    expect(deriveSnapshot(events)).toEqual(say('b'))
  })

  it('ends with event `until`', () => {
    const events = log(['USER_INPUT', say('a')], ['USER_INPUT', say('b')], ['USER_INPUT', say('c')])
    expect(texts(deriveItems(events, { until: 2 }))).toEqual(['a', 'b'])
    expect(deriveItems(events, { until: 0 })).toEqual([])
    expect(texts(deriveItems(events, { until: undefined }))).toEqual(['a', 'b', 'c'])
    expect(shown(events, 2)).toEqual(['a', 'b'])
  })

  it.each([
    { untl: 1 },
    { until: 'x' },
    { until: '1' },
    { until: Number.NaN },
    { until: 1.5 },
    { until: -1 },
    { until: null },
    null,
    5,
  ])('refuses %o, which would be the whole fold', (options) => {
    for (const derive of [deriveSnapshot, deriveItems, deriveSummary, deriveTranscript]) {
      expect(() => derive([], options as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      )
    }
  })

  it('ignores types that it does not know, and payloads of another shape', () => {
    const events = log(
      ['USER_INPUT', say('a')],
      ['SOMETHING_NEW', restored('x', 'no')],
      ['USER_INPUT', { items: 5 }],
      ['SESSION_RESTORED', {}],
      ['MEMORY_COMPRESS', { memory: 'no' }],
    )
    expect(deriveSnapshot(events)).toEqual(say('a'))
  })

  it('answers copies, and keeps a key called __proto__', () => {
    const item = JSON.parse('{"type":"x","call_id":"c","__proto__":{"a":1}}')
    const output = { ...functionCallOutput('c', 'o'), ...item, type: 'function_call_output' }
    const events = log(
      ['USER_INPUT', { items: [output] }],
      ['TOOL_OUTPUT_REPLACED', { callId: 'c', output: 'p' }],
    )
    const first = deriveItems(events)
    expect(JSON.stringify(first)).toContain('"__proto__":{"a":1}')
    Object.assign(first[0] ?? {}, { output: 'mine' })
    expect(deriveItems(events)[0]?.['output']).toBe('p')
    const entry = deriveTranscript(events)[0]
    Object.assign(entry?.item ?? {}, { output: 'mine' })
    expect(deriveTranscript(events)[0]?.item['output']).toBe('p')
    expect(output.output).toBe('o')
  })

  it('is linear: 20,000 results and as many replacements take no time to speak of', () => {
    const facts: [string, unknown][] = []
    for (let n = 0; n < 20_000; n++) {
      facts.push(['TOOL_RESULT', { callId: `c${n}`, output: 'o' }])
      facts.push(['TOOL_OUTPUT_REPLACED', { callId: `c${n}`, output: 'p' }])
    }
    const events = log(...facts)
    const start = performance.now()
    expect(deriveTranscript(events).every(({ item }) => item['output'] === 'p')).toBe(true)
    // Quadratic work would be 200 million steps for each list.
    expect(performance.now() - start).toBeLessThan(3_000)
  })
})

describe('the transcript', () => {
  it('names the event of each item', () => {
    const events = log(['USER_INPUT', say('a')], ['STEP_START', {}], ['USER_INPUT', say('b')])
    expect(deriveTranscript(events)).toEqual([
      { sequence: 1, at: 1_000, item: userMessage('a') },
      { sequence: 3, at: 1_002, item: userMessage('b') },
    ])
  })

  it('keeps what a compaction took out of memory', () => {
    const events = log(
      ['USER_INPUT', say('a', 'b')],
      ['MEMORY_COMPRESS', { memory: { items: [], summary: 's' } }],
      ['USER_INPUT', say('c')],
    )
    expect(shown(events)).toEqual(['a', 'b', 'c'])
  })

  it('replaces the outputs that memory still holds, not one of that id which was compacted away', () => {
    const turn = (output: string): [string, unknown] => ['TOOL_RESULT', { callId: 'c', output }]
    const replaced: [string, unknown] = ['TOOL_OUTPUT_REPLACED', { callId: 'c', output: 'new' }]
    const compressed = (...outputs: string[]): [string, unknown] => [
      'MEMORY_COMPRESS',
      { memory: { items: outputs.map((output) => functionCallOutput('c', output)) } },
    ]
    const outputs = (events: readonly AgentEvent[]) =>
      deriveTranscript(events).map(({ item }) => item['output'])
    expect(outputs(log(turn('1'), compressed(), turn('2'), replaced))).toEqual(['1', 'new'])
    expect(outputs(log(turn('1'), compressed('1'), replaced))).toEqual(['new'])
    expect(outputs(log(turn('1'), compressed(), replaced))).toEqual(['1'])
    const undone: [string, unknown] = ['SESSION_RESTORED', { reason: 'undo', items: [] }]
    const twice = log(turn('1'), compressed(), turn('2'), undone, turn('3'), replaced)
    expect(outputs(twice)).toEqual(['1', 'new'])
  })

  it('loses what was undone, also behind a compaction', () => {
    const events = log(
      ['USER_INPUT', say('a')],
      ['MEMORY_COMPRESS', { memory: { items: [], summary: 's' } }],
      ['USER_INPUT', say('b')],
      ['USER_INPUT', say('c')],
      ['SESSION_RESTORED', { ...restored('undo', 'b'), summary: 's' }],
      ['USER_INPUT', say('d')],
    )
    expect(shown(events)).toEqual(['a', 'b', 'd'])
  })

  it('is emptied by a clear, compacted items included', () => {
    const events = log(
      ['USER_INPUT', say('a')],
      ['MEMORY_COMPRESS', { memory: { items: [], summary: 's' } }],
      ['SESSION_RESTORED', restored('clear')],
      ['USER_INPUT', say('b')],
    )
    expect(shown(events)).toEqual(['b'])
  })

  it('takes over another history from where it differs, by that event', () => {
    const events = log(
      ['USER_INPUT', say('a', 'b', 'c')],
      ['SESSION_RESTORED', restored('restore', 'a', 'x', 'c', 'y')],
    )
    expect(shown(events)).toEqual(['a', 'x', 'c', 'y'])
    expect(deriveTranscript(events).map(({ sequence }) => sequence)).toEqual([1, 2, 2, 2])
    expect(
      shown(log(['SESSION_RESTORED', restored('trim', 'a')], ['USER_INPUT', say('b')])),
    ).toEqual(['a', 'b'])
  })

  it('never goes below nothing where memory held more than was ever shown', () => {
    const events = log(
      ['MEMORY_COMPRESS', { memory: say('m', 'n') }],
      ['SESSION_RESTORED', restored('restore', 'z')],
    )
    expect(shown(events)).toEqual(['z'])
  })
})
