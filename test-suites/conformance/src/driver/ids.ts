import assert from 'node:assert/strict'
import {
  accepted,
  assertStored,
  create,
  freshScope,
  numbered,
  readCell,
  state,
  within,
} from './cells.ts'
import type { DriverCase, DriverHarness } from './driver-harness.ts'
import { byUtf8 } from './listing.ts'

/** Ids that some backend takes for one. Each row is stored side by side. */
export const LOOK_ALIKES: readonly (readonly string[])[] = [
  ['session', 'Session', 'SESSION'],
  ['cafe', 'café', 'cafe\u0301'],
  ['a', 'a ', ' a', 'a\u00a0', 'a\u3000'],
  ['7', '07', '007', '7.0', '7e0', '+7', '0x7'],
  ['strasse', 'straße', 'STRASSE'],
  ['i', 'I', 'ı', 'İ'],
  ['ﬁ', 'fi'],
  ['Ａ', 'A'],
  ['a', 'a\u200b', 'a\u200d', '\ufeffa', 'a\u00ad'],
  ['Å', 'Å', 'A\u030a'],
  ['o', 'ø', 'ö'],
  ['true', '1', 'null'],
  ['a-b', 'a_b', 'a b', 'ab', 'a.b', 'a:b', 'a/b', 'a\\b', 'a%2Fb', 'a+b'],
]

/** Ids that some backend takes for a pattern, a path, a command or a name of its own. */
export const HOSTILE_NAMES: readonly string[] = [
  ...['*', '%', '_', '?', '[a]', '[^a]', 'a*', 'a%', '{x}', '{', '}', '{}', '#', '&', '=', '$'],
  ...[
    '..',
    '.',
    '...',
    '/',
    '//',
    '\\',
    'a/b',
    'a/../b',
    '../x',
    '..\\x',
    'a/',
    '/a',
    'a\\',
    'a/.',
  ],
  ...['%2F', '%00', '%2e%2e', '~', '~0', '~1', 'a:b', ':', '::', ';', 'm0:x', 's1:a:b'],
  ...["'", '"', '`', "''", "'; DROP TABLE x; --", '$gt', '$where', 'a.b', '.a', 'a.', 'a ', ' a'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined', 'true', 'NaN'],
  ...[
    'CON',
    'nul',
    'aux.txt',
    'index.json',
    'lock',
    'head',
    '-rf',
    '--',
    '\\u0000',
    '\\x00',
    '\\n',
  ],
  ...[
    '0',
    '-1',
    '1e3',
    '9007199254740993',
    '😀',
    '👩‍👩‍👧‍👦',
    '日本語',
    'שלום',
    '\u202eabc',
    '\u2028',
    '\ufeff',
    '\uffff',
  ],
]

async function storeApart(
  { driver, other }: DriverHarness,
  names: readonly string[],
): Promise<void> {
  const scope = freshScope()
  const states = new Map(names.map((name, index) => [scope + name, state(numbered(2, index * 10))]))
  for (const [id, cell] of states) await create(driver, id, cell)
  for (const [id, cell] of states) await assertStored(other, id, cell)
  const rows = await other.list({ ...within(scope), limit: 1_000 })
  assert.deepEqual(
    rows.map((row) => row.id),
    [...states.keys()].sort(byUtf8),
  )
  for (const id of [...states.keys()]) {
    const next = state(numbered(1, 999), JSON.stringify({ now: id }))
    accepted(await driver.replace(id, next, await readCell(driver, id)), next)
    states.set(id, next)
  }
  for (const [id, cell] of states) await assertStored(driver, id, cell)
}

const uniqueRows = LOOK_ALIKES.map((row) => [...new Set(row)])

export const idCases: readonly DriverCase[] = [
  {
    id: 'ids-look-alike',
    name: 'ids that look alike (case, accents, blanks, normal forms, leading zeros) are different sessions',
    async run(harness) {
      for (const row of uniqueRows) await storeApart(harness, row)
    },
  },
  {
    id: 'ids-hostile',
    name: 'ids that look like patterns, paths or commands are stored byte for byte, neighbours untouched',
    async run(harness) {
      await storeApart(harness, [...new Set(HOSTILE_NAMES)])
    },
  },
  {
    id: 'ids-long',
    name: 'ids of 400 bytes that differ in their last byte alone are different sessions',
    async run(harness) {
      const room = 400 - Buffer.byteLength(freshScope())
      const emoji = '😀'.repeat(Math.floor(room / 4) - 1)
      const pad = (text: string) => text + 'x'.repeat(room - Buffer.byteLength(text) - 1)
      await storeApart(
        harness,
        [
          ...['a', 'b', 'c'].map((last) => pad('') + last),
          ...['a', 'b'].map((last) => pad(emoji) + last),
          ...['/', '.', ' '].map((last) => pad('') + last),
          'y'.repeat(190),
          '😀'.repeat(Math.floor(room / 4)),
          'y'.repeat(255),
          'y'.repeat(254),
        ].filter((name) => Buffer.byteLength(name) <= room),
      )
    },
  },
  {
    id: 'ids-nested',
    name: 'an id that is the beginning of another id is a session of its own',
    async run(harness) {
      await storeApart(harness, [
        'a',
        'a/',
        'a/b',
        'a/b/c',
        'a:',
        'a:b',
        'a.',
        'a.json',
        'a.tmp',
        'ab',
        'abc',
      ])
    },
  },
]
