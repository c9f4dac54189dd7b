import { describe, expect, it } from 'vitest'
import { decodeFirstLine, decodeHead, encodeHead } from '../src/documents.ts'

const HEAD = { revision: 'r', guard: 'g', head: '{}', segments: [], skip: 0, entries: ['{"a":1}'] }

/** A head whose lines say otherwise; undefined: that they do not say. */
const withFields = (line: object, content: object = {}) => {
  const [first = '', second = ''] = encodeHead('one', HEAD).split('\n')
  const changed = (text: string, fields: object) =>
    JSON.stringify({ ...JSON.parse(text), ...fields })
  return `${changed(first, line)}\n${changed(second, content)}\n`
}
const withLayout = (v: unknown) => withFields({ v })

describe('the layout of a head', () => {
  it('1: is read', () => {
    expect(decodeHead(withLayout(1), '"t"', 'one')).toEqual({ ...HEAD, token: '"t"' })
    expect(decodeFirstLine(withLayout(1))).toMatchObject({ revision: 'r', head: '{}' })
  })

  it.each([2, 3, 1_000])('%s, a later one: is UNSUPPORTED, and how to go on', (v) => {
    const read = () => decodeHead(withLayout(v), '"t"', 'one')
    expect(read).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }))
    expect(read).toThrow(`"one" is stored in layout ${v}`)
    expect(read).toThrow(/Upgrade it/)
  })

  it('a later one of any form: is UNSUPPORTED', () => {
    expect(() => decodeHead('{"v":2}', '"t"', 'one')).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED' }),
    )
  })

  it.each([undefined, null, 0, -1, '1', '2', {}, [1]])('%o: cannot be read', (v) => {
    expect(decodeHead(withLayout(v), '"t"', 'one')).toBeUndefined()
  })

  it.each([undefined, null, 0, 2, '1'])('%o: is not misread by a listing', (v) => {
    expect(decodeFirstLine(withLayout(v))).toBeUndefined()
  })
})

describe('a head of which something is wrong', () => {
  const ref = { name: 'a', count: 1, bytes: 17, level: 0 }
  const noText = [undefined, null, 7, ['r'], {}]
  const noCount = [undefined, null, '1', -1, 0.5, 1e300, [1]]

  it('is read where nothing is', () => {
    const text = withFields({}, { segments: [ref], skip: 1 })
    const head = { ...HEAD, segments: [ref], skip: 1, token: '"t"' }
    expect(decodeHead(text, '"t"', 'one')).toEqual(head)
  })

  it.each(
    ['revision', 'guard', 'head'].flatMap((field) => noText.map((value) => ({ [field]: value }))),
  )('%o: cannot be read, nor by a listing', (line) => {
    expect(decodeHead(withFields(line), '"t"', 'one')).toBeUndefined()
    expect(decodeFirstLine(withFields(line))).toBeUndefined()
  })

  it.each([
    ...noCount.map((skip) => ({ skip })),
    ...[undefined, null, '[]', {}, [null], ['{}', 7]].map((entries) => ({ entries })),
    ...[undefined, null, '[]', {}, [null], ['a'], [[]]].map((segments) => ({ segments })),
    ...noText.map((name) => ({ segments: [{ ...ref, name }] })),
    ...['count', 'bytes', 'level'].flatMap((field) =>
      noCount.map((value) => ({ segments: [ref, { ...ref, [field]: value }] })),
    ),
  ])('%o: cannot be read', (content) => {
    expect(decodeHead(withFields({}, content), '"t"', 'one')).toBeUndefined()
  })
})
