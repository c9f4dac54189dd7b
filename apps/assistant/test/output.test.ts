import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError } from '@holdfast/core'
import { describe, expect, test } from 'vitest'
import { History } from '../src/chat/history.ts'
import { errorLine } from '../src/output/error-line.ts'
import { maskJson, maskOf } from '../src/output/mask.ts'
import { TextWriter } from '../src/output/text-writer.ts'
import { secretsOf } from '../src/settings.ts'
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

describe('an error', () => {
  const named = (name: string, message: string, more: object) =>
    Object.assign(new Error(message), { name, ...more })
  const env = { OPENAI_BASE_URL: 'http://user:password@models.example:8/v1' }
  const failed = (cause: unknown, more: object = {}) =>
    new HoldfastError('MODEL_FAILED', 'The model call failed.', {
      cause: named('ModelRequestError', 'It failed.', { cause, ...more }),
    })
  const refused = named('Error', 'connect', { code: 'ECONNREFUSED' })

  test.each([
    ['deep in the chain', { cause: named('TypeError', 'fetch failed', { cause: refused }) }],
    ['of several addresses', { errors: [refused, refused] }],
  ])('of the network is found %s; the host is named without a password', (_, more) => {
    expect(errorLine(failed(named('Error', 'Connection error.', more)), env)).toBe(
      'error MODEL_FAILED: the connection to models.example:8 failed (ECONNREFUSED)',
    )
  })

  test('of an endpoint that answered, or of anything but a model, is none of the network', () => {
    const line = 'error MODEL_FAILED: The model call failed. It failed.'
    expect(errorLine(failed(refused, { status: 503 }), env)).toBe(line)
    expect(errorLine(failed(named('Error', 'x', { code: 'RESOURCE_EXHAUSTED' })), env)).toBe(line)
    expect(errorLine(failed('text'), env)).toBe(line)
    expect(errorLine(new Error('a', { cause: refused }), env)).toBe('error UNEXPECTED: a')
  })

  test('is shown with all its causes where that is asked for, also where they go round', () => {
    const body: Record<string, unknown> = { code: 'odd' }
    const round = failed(named('Error', 'inner', { cause: body }))
    body['cause'] = round
    const text = errorLine(round, { HOLDFAST_DEBUG: '1' })
    expect(text).toMatch(/ModelRequestError|It failed\.[\s\S]*caused by .*inner[\s\S]*caused by /)
    expect(text.match(/caused by/g)).toHaveLength(4)
  })
})

describe('the mask', () => {
  const mask = maskOf([' sk-secret-1 ', 'abc', ''])

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

test('of a storage URL its password and its keys are secrets', () => {
  const secrets = (HOLDFAST_URL: string) => secretsOf({ HOLDFAST_URL }).filter(Boolean)
  expect(secrets('postgres://ada:p%40ssword1@localhost/db')).toEqual(['p%40ssword1', 'p@ssword1'])
  expect(secrets('redis://:hunter2hunter2@localhost:6379')).toContain('hunter2hunter2')
  expect(secrets('libsql://db.example?authToken=abcdefgh')).toEqual(['abcdefgh'])
  expect(secrets('sqlite:./agent.db')).toEqual([])
  expect(secrets('postgres://ada:%E0%A4@localhost')).toEqual(['%E0%A4', '%E0%A4'])
  expect(secretsOf({ OPENAI_API_KEY: 'sk-1234567890' })).toContain('sk-1234567890')
})
