import { describe, expect, it } from 'vitest'
import { Keys } from '../src/keys.ts'

const keys = new Keys('p')
const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Ids around the places where a name is cut into parts. */
const ids = [1, 99, 100, 101, 199, 200, 201, 399, 400].flatMap((length) =>
  ['a', 'b', '~', '\u007f'.replace('\u007f', '!')].flatMap((last) => [
    'a'.repeat(length - 1) + last,
    ...(length < 400 ? [`${'a'.repeat(length - 1)}${last}z`] : []),
  ]),
)

describe('keys', () => {
  it('sort as the bytes of the ids do, as a whole and folder by folder', () => {
    const sorted = [...new Set(ids)].sort(byBytes)
    const whole = [...sorted].sort((a, b) => byBytes(keys.head(a), keys.head(b)))
    expect(whole).toEqual(sorted)
    const byFolder = (a: string, b: string): number => {
      const [left, right] = [keys.head(a).split('/'), keys.head(b).split('/')]
      const at = left.findIndex((part, index) => part !== right[index])
      return at < 0 ? 0 : byBytes(left[at] ?? '', right[at] ?? '')
    }
    expect([...sorted].sort(byFolder)).toEqual(sorted)
  })

  it('have parts below 255 bytes and are below 1,024 in all, with the longest prefix and id', () => {
    const longest = new Keys('x'.repeat(150))
    const key = longest.segment('😀'.repeat(100), 'a'.repeat(32))
    expect(key.length).toBeLessThan(1_024)
    for (const part of key.split('/')) expect(part.length).toBeLessThan(255)
  })

  it('are never the folder of another', () => {
    const all = [...ids.map((id) => keys.head(id)), ...ids.map((id) => keys.segment(id, 'x'))]
    for (const key of all) {
      expect(all.some((other) => other.startsWith(`${key}/`))).toBe(false)
    }
  })

  it('are read back, and what is none of ours is not taken for an id', () => {
    for (const id of [...ids, 'm1:tenant:é😀']) {
      expect(keys.idOfHead(keys.head(id))).toBe(id)
      expect(keys.ofSegment(keys.segment(id, 'n1'))).toEqual({ id, name: 'n1' })
      expect(keys.behindSegments(id) > keys.segment(id, 'zzz')).toBe(true)
    }
    for (const other of [
      'p/heads/readme.txt',
      'p/heads/6d-x',
      'p/heads/6D-',
      'p/heads/',
      'p/heads/ff-',
    ]) {
      expect(keys.idOfHead(other)).toBeUndefined()
    }
    expect(new Keys('').heads).toBe('heads/')
  })
})
