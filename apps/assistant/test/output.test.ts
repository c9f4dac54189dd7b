import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { History } from '../src/chat/history.ts'
import { maskJson, maskOf } from '../src/output/mask.ts'
import { TextWriter } from '../src/output/text-writer.ts'
import { temporaryFolder } from './temporary.ts'

describe('a text that comes in pieces', () => {
  const show = (...pieces: string[]) => {
    const written: string[] = []
    const writer = new TextWriter((text) => written.push(text))
    for (const piece of pieces) writer.add(piece)
    writer.end()
    return written
  }

  test('is shown at once, but never half of a character or of a line end', () => {
    expect(show('a', 'b\n')).toEqual(['a', 'b\n'])
    expect(show('a\ud83d', '\ude00b')).toEqual(['a', '😀b', '\n'])
    expect(show('a\r', '\nb')).toEqual(['a', '\r\nb', '\n'])
    expect(show('a\ud83d')).toEqual(['a', '\ud83d', '\n'])
    expect(show()).toEqual([])
    expect(show('', '')).toEqual([])
  })

  test('can go on after its end', () => {
    const written: string[] = []
    const writer = new TextWriter((text) => written.push(text))
    writer.add('a')
    writer.end()
    writer.end()
    writer.add('b\n')
    writer.end()
    expect(written.join('')).toBe('a\nb\n')
  })
})

describe('the mask', () => {
  const mask = maskOf({ KEY: ' sk-secret-1 ', SHORT: 'abc', OTHER: 'visible-value' }, [
    'KEY',
    'SHORT',
    'NONE',
  ])

  test('takes out the secrets that were named, and nothing else', () => {
    expect(mask('a sk-secret-1 b sk-secret-1')).toBe('a [secret] b [secret]')
    expect(mask('abc visible-value')).toBe('abc visible-value')
    const value = { a: ['sk-secret-1', 1, null, { 'x sk-secret-1': true }], __proto__: null }
    expect(maskJson(value, mask)).toEqual({ a: ['[secret]', 1, null, { 'x [secret]': true }] })
  })

  test('keeps JSON as it is where there is no secret', () => {
    const text = '{"__proto__":{"a":1},"b":[[],{}],"c":-0.5}'
    expect(JSON.stringify(maskJson(JSON.parse(text), mask))).toBe(text)
  })

  test('is on the history, too', async () => {
    const path = join(temporaryFolder(), 'history')
    await new History(path, mask).add('my key is sk-secret-1')
    expect(readFileSync(path, 'utf8')).toBe('my key is [secret]\n')
  })
})
