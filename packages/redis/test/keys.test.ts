import { describe, expect, it } from 'vitest'
import { isWithin, Keys, rangeOf } from '../src/keys.ts'

describe('the range of an id', () => {
  it.each([
    ['m0:user-42', 'm0:'],
    ['s0:a:b:c', 's0:'],
    ['m0:', 'm0:'],
    ['m1:tenant:a:b', 'm1:tenant:'],
    ['m2:t:u:x', 'm2:t:u:'],
    ['m2:t:x', 'm2:t:x'],
    ['m1:tenant', 'm1:tenant'],
    ['m', 'm'],
    ['memo', 'memo'],
    ['', ''],
    ['{x}', '{x}'],
  ])('%j is %j', (id, range) => {
    expect(rangeOf(id)).toBe(range)
  })

  it('keeps the ids of ranges in the order of the ranges', () => {
    const ids = [
      'm',
      'm0',
      'm0:',
      'm0:a',
      'm0:a:b',
      'm1',
      'm1:a',
      'm1:a!',
      'm1:a:',
      'm1:a:x',
      'm1:a~',
    ]
    ids.push('m1:ab:', 'm1:ab:y', 'm1:ä:z', 'm2:a:b', 'm2:a:b:c', 'm:', 'n', 's0:a', '😀', '~')
    const bytes = (text: string) => Buffer.from(text)
    const sorted = [...ids].sort((a, b) => Buffer.compare(bytes(a), bytes(b)))
    const ranges = sorted.map(rangeOf)
    const distinct = ranges.filter((range, index) => range !== ranges[index - 1])
    expect(distinct).toEqual(
      [...new Set(ranges)].sort((a, b) => Buffer.compare(bytes(a), bytes(b))),
    )
  })
})

describe('a query', () => {
  it.each([
    ['m0:', 'm0;', true],
    ['m0:', 'm0:zz', true],
    ['m1:t:', 'm1:t;', true],
    ['m1:t:', 'm1:u;', false],
    ['m1:t:', undefined, false],
    ['m2:t:', 'm2:t;', false],
    ['', 'm0:z', false],
    ['x', 'xy', false],
  ])('behind range %j and before %j lies in it: %s', (range, before, inside) => {
    expect(isWithin(range, before)).toBe(inside)
  })
})

describe('keys', () => {
  it('of sessions and of indexes never meet, whatever the prefixes and ids', () => {
    const names = ['a', 'a:{', 'ids', '}:ids', 'm0:', 'm0:}:ids', 'ranges', '{', '}', '{}', 'x}:{y']
    const keys = ['a', 'a:', 'a:ranges', 'a:ids', ':a'].flatMap((prefix) => {
      const own = new Keys(prefix)
      return [
        own.ranges,
        ...names.map((name) => own.session(name)),
        ...names.map((name) => own.ids(name)),
      ]
    })
    expect(new Set(keys).size).toBe(keys.length)
  })
})
