import { describe, expect, it } from 'vitest'
import { decodeFirstLine, decodeHead, encodeHead } from '../src/documents.ts'

const HEAD = { revision: 'r', guard: 'g', head: '{}', segments: [], skip: 0, entries: ['{"a":1}'] }

/** A head whose first line says `v`; undefined: it says nothing. */
const withLayout = (v: unknown) => {
  const [first = '', second] = encodeHead('one', HEAD).split('\n')
  return `${JSON.stringify({ ...JSON.parse(first), v })}\n${second}\n`
}

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
