import { expect, test } from 'vitest'
import { finishedLength, safeCut } from '../../src/compaction/finished-length.ts'
import type { AgentItem } from '../../src/index.ts'
import { assistant, call, output, reasoning, system, user } from './support.ts'

const turn = [user('1'), call('a'), output('a', 'x'), assistant('done')]

test.each<[string, AgentItem[], number]>([
  ['nothing', [], 0],
  ['a finished turn', turn, 4],
  ['new input', [...turn, user('2')], 4],
  ['several messages as one input', [...turn, system('s'), user('2'), user('3')], 4],
  ['a system message alone is no turn', [...turn, user('2'), call('b'), system('s')], 4],
  ['outputs of the unfinished turn', [...turn, user('2'), call('b'), output('b', 'x')], 4],
  ['an open call behind a message', [...turn, user('2'), call('b'), assistant('wait')], 4],
  ['a message before calls', [...turn, user('2'), assistant('I look'), call('b')], 4],
  ['an open call of an older turn', [user('1'), call('a'), assistant('?'), ...turn.slice(0, 1)], 0],
  [
    'an aborted turn while the next one runs',
    [...turn, user('2'), call('b'), output('b', 'x'), user('3')],
    4,
  ],
  [
    'two aborted turns while the next one runs',
    [
      ...turn,
      user('2'),
      call('b'),
      output('b', 'x'),
      user('3'),
      call('c'),
      output('c', 'x'),
      user('4'),
    ],
    7,
  ],
  [
    'an output behind the next input',
    [user('1'), call('a'), assistant('ok'), user('2'), output('a', 'x'), user('3')],
    0,
  ],
  [
    'a message without a type',
    [
      { role: 'user', content: '1' },
      { role: 'assistant', content: '2' },
    ],
    2,
  ],
  ['a lone output', [...turn, output('a', 'again'), output('zz', 'x')], 0],
])('%s', (_, items, finished) => {
  expect(finishedLength(items)).toBe(finished)
})

test('a cut lies before an input message, or behind all outputs of an answer', () => {
  const items = [
    user('1'),
    reasoning('r'),
    system('s'),
    call('a'),
    call('b'),
    output('b', ''),
    output('a', ''),
    reasoning('r2'),
    assistant('x'),
  ]
  expect(items.map((_, at) => safeCut(items, at))).toEqual([0, 0, 0, 0, 0, 0, 0, 7, 7])
  expect(safeCut(items, items.length)).toBe(9)
  expect(safeCut([...items, reasoning('r3')], 10)).toBe(7)
})
