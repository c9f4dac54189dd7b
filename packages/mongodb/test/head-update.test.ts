import type { StoredHead } from '@holdfast/core/segments'
import { describe, expect, it } from 'vitest'
import { headUpdate } from '../src/head-update.ts'

const head = (revision: string, entries: readonly string[]): StoredHead => ({
  ...{ revision, guard: `g${revision}`, head: '{}', segments: [], skip: 0, entries },
})

interface Update {
  readonly $set: { readonly entries?: readonly string[]; readonly expiresAt?: Date }
  readonly $push?: {
    readonly entries: { readonly $each: readonly string[]; readonly $slice?: number }
  }
  readonly $unset?: object
}

const updateOf = (...args: Parameters<typeof headUpdate>) => headUpdate(...args) as Update

/** What a server makes of the entries. */
function applied(before: readonly string[], { $set, $push }: Update): readonly string[] {
  if ($set.entries) return $set.entries
  if (!$push) return before
  const { $each, $slice } = $push.entries
  const all = [...before, ...$each]
  return $slice === undefined ? all : all.slice($slice)
}

describe('the update of a head', () => {
  it('sends what an append adds, and nothing else', () => {
    const update = updateOf(head('1', ['a', 'b']), head('2', ['a', 'b', 'c']), undefined)
    expect(update.$set.entries).toBeUndefined()
    expect(update.$push).toEqual({ entries: { $each: ['c'] } })
  })

  it('sends what a window adds, and how many stay', () => {
    const update = updateOf(head('1', ['a', 'b', 'c']), head('2', ['b', 'c', 'd']), undefined)
    expect(update.$push).toEqual({ entries: { $each: ['d'], $slice: -3 } })
  })

  it('sends no entry where none came or went, and sets those that are others', () => {
    expect(updateOf(head('1', ['a']), head('2', ['a']), undefined).$push).toBeUndefined()
    const other = updateOf(head('1', ['a']), head('2', ['z']), undefined)
    expect(other.$set.entries).toEqual(['z'])
    expect(other.$push).toBeUndefined()
    expect(updateOf(head('1', ['a']), head('2', []), undefined).$set.entries).toEqual([])
  })

  it('makes exactly the next entries of the ones before, whatever both are', () => {
    // All lists of up to four of two letters, so that the same texts stand in many places.
    const lists = [[] as string[]]
    for (const list of lists) if (list.length < 4) lists.push([...list, 'a'], [...list, 'b'])
    expect(lists).toHaveLength(31)
    for (const before of lists) {
      for (const next of lists) {
        const update = updateOf(head('1', before), head('2', next), undefined)
        expect(applied(before, update)).toEqual(next)
      }
    }
  })

  it('sets the time of expiry with a new revision alone', () => {
    const date = new Date()
    expect(updateOf(head('1', []), head('2', []), date).$set.expiresAt).toBe(date)
    const swept = updateOf(head('1', []), { ...head('1', []), guard: 'other' }, date)
    expect(swept.$set.expiresAt).toBeUndefined()
    expect(updateOf(head('1', []), head('2', []), undefined).$unset).toEqual({ expiresAt: '' })
    expect(updateOf(head('1', []), head('1', []), undefined).$unset).toBeUndefined()
  })
})
