import { accepted, append, assertStored, cellId, change, create, state } from './cells.ts'
import { type DriverCase, needs } from './driver-harness.ts'

const TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    '  both ends  ',
    'line\nfeed',
    'cr\r\nlf',
    'tab\tbed',
    '\u2028\u2029',
    '\ufeffbom',
    '\u007f\u0085\u009f',
  ],
  ...[
    'ä ö ü ß é',
    'e\u0301',
    '日本語',
    'שלום',
    '😀 👩‍👩‍👧‍👦 🇩🇪',
    '\uffff\ufffe\ufdd0',
    '\u202e',
    '𝒳',
    '\u0000',
    '\ud800',
    '\udc00x',
  ],
  ...[
    '\\u0041',
    '\\\\u0000',
    '\\n',
    '\\',
    '\\\\',
    '"',
    "'",
    '`',
    '$1',
    '$$',
    '%s',
    '%d%n',
    '{0}',
    '$x{y}',
    '?',
    '??',
    ':x',
    '@x',
  ],
  ...[
    "'; DROP TABLE x; --",
    '<script>',
    '&amp;',
    '\\x41',
    '\\ud83d',
    'NULL',
    'null',
    'undefined',
    '0',
    '1e999',
    '-0',
  ],
]

/** JSON texts that a backend which parses them, or takes them for text of a locale, gives back changed. */
export const HOSTILE_ENTRIES: readonly string[] = [
  ...TEXTS.map((text) => JSON.stringify({ text })),
  ...TEXTS.map((text) => JSON.stringify([text])),
  ...[
    '{"b":1,"a":2}',
    '{"a":1,"a":2}',
    '{ "a" : 1 }',
    '{\n  "a": 1\n}',
    ' {"a":1} ',
    '{"a":1}\n',
    '\t[]',
    '[]',
    '{}',
  ],
  ...[
    '1.0',
    '1e2',
    '-0',
    '0.10',
    '12345678901234567890',
    '1e400',
    '"\\u00e9"',
    '"\\u0041"',
    '"\\/"',
    '"\\ud83d\\ude00"',
  ],
  ...[
    '{"__proto__":{"x":1}}',
    '{"constructor":1}',
    '{"$gt":""}',
    '{"a.b":1}',
    '{"":""}',
    'null',
    'true',
    '""',
    '"null"',
  ],
]

/** `bytes` bytes of UTF-8 that do not compress to nothing, around `filler`. */
function long(bytes: number, filler: string): string {
  const unit = Buffer.byteLength(filler)
  const count = Math.floor((bytes - 2) / unit)
  return `"${filler.repeat(count)}${'.'.repeat(bytes - 2 - count * unit)}"`
}

const MIB = 1_048_576

export const valueCases: readonly DriverCase[] = [
  {
    id: 'values-hostile',
    name: 'every JSON text comes back byte for byte: escapes, blanks, key order, numbers, all of Unicode',
    async run({ driver, other }) {
      const id = cellId()
      const first = state(HOSTILE_ENTRIES)
      const version = await create(driver, id, first)
      await assertStored(other, id, first)
      const second = state([...HOSTILE_ENTRIES].reverse())
      accepted(await driver.replace(id, second, version), second)
      await assertStored(other, id, second)
    },
  },
  {
    id: 'values-appended',
    name: 'appended JSON texts come back byte for byte',
    applies: needs('append'),
    async run({ driver, other }) {
      const id = cellId()
      const version = await create(driver, id, state(['0']))
      const next = change(HOSTILE_ENTRIES)
      accepted(await append(driver, id, next, version), next)
      await assertStored(other, id, { ...next, entries: ['0', ...HOSTILE_ENTRIES] })
    },
  },
  {
    id: 'values-heads',
    name: 'every head comes back byte for byte, up to 16 KiB of UTF-8',
    async run({ driver, other }) {
      const id = cellId()
      let current = state([], '{}')
      let version = await create(driver, id, current)
      for (const head of [
        ...HOSTILE_ENTRIES,
        long(16_384, 'h'),
        long(16_384, 'é'),
        long(16_384, '😀'),
      ]) {
        current = state([], head)
        version = accepted(await driver.replace(id, current, version), current)
        await assertStored(other, id, current)
      }
    },
  },
  {
    id: 'values-appended-heads',
    name: 'the head of an append comes back byte for byte, up to 16 KiB of UTF-8',
    applies: needs('append'),
    async run({ driver, other }) {
      const id = cellId()
      let version = await create(driver, id, state(['0']))
      const entries = ['0']
      for (const filler of ['h', 'é', '😀']) {
        const next = change([JSON.stringify(filler)], { head: long(16_380, filler) })
        version = accepted(await append(driver, id, next, version), next)
        entries.push(...next.entries)
        await assertStored(other, id, { ...next, entries })
      }
    },
  },
  {
    id: 'values-200kb',
    name: 'entries of 64 kB, 200 kB and of exactly 1 MiB come back whole',
    async run({ driver, other }) {
      const id = cellId()
      const entries = [65_535, 65_536, 65_537, 200_000].map((bytes) => long(bytes, 'v'))
      const first = state([...entries, long(MIB, 'x'), long(MIB, 'ü'), long(MIB, '😀')])
      const version = await create(driver, id, first)
      await assertStored(other, id, first)
      if (!driver.append) return
      const next = change([long(MIB, '日'), long(200_000, '\\u0000')])
      accepted(await append(driver, id, next, version), next)
      await assertStored(other, id, { ...next, entries: [...first.entries, ...next.entries] })
    },
  },
  {
    id: 'values-5mb',
    name: 'a session of 5 MB comes back whole, and can be replaced by a small one',
    async run({ driver, other }) {
      const id = cellId()
      const first = state(['é', 'm', '日', '😀', '\\\\'].map((filler) => long(MIB, filler)))
      const version = await create(driver, id, first)
      await assertStored(other, id, first)
      const small = state(['1'])
      accepted(await driver.replace(id, small, version), small)
      await assertStored(other, id, small)
    },
  },
]
