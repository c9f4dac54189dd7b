import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { bareError } from '../src/bare-error.ts'

const sent = () => ({ command: { name: 'hello', args: ['3', 'AUTH', 'me', 'my secret'] } })
const shown = (error: unknown) => inspect(error, { depth: null, showHidden: true })

describe('an error of a client', () => {
  it('keeps its class, its words, what Node.js says of the connection, and the errors underneath', () => {
    const refused = Object.assign(new TypeError('refused'), {
      ...{ code: 'ECONNREFUSED', errno: -111, syscall: 'connect', address: '::1', port: 6379 },
    })
    const error = new AggregateError([refused, new Error('other')], 'all failed', {
      cause: refused,
    })
    expect(bareError(error)).toBe(error)
    expect(error.message).toBe('all failed')
    expect(error.cause).toBe(refused)
    expect(error.errors).toHaveLength(2)
    expect({ ...refused }).toEqual({
      ...{ code: 'ECONNREFUSED', errno: -111, syscall: 'connect', address: '::1', port: 6379 },
    })
  })

  it.each([
    ['itself', () => Object.assign(new Error('x'), sent())],
    ['a cause', () => new Error('x', { cause: Object.assign(new Error('y'), sent()) })],
    ['a cause that is no error', () => new Error('x', { cause: sent() })],
    ['one of many', () => new AggregateError([Object.assign(new Error('y'), sent()), sent()])],
    [
      'the error of a node',
      () => {
        const lastNodeError = Object.assign(new Error('y'), sent())
        return Object.assign(new Error('x'), { lastNodeError })
      },
    ],
    [
      'errors before',
      () => {
        const previousErrors = [Object.assign(new Error('y'), sent())]
        return Object.assign(new Error('x'), { previousErrors })
      },
    ],
    [
      'a hidden property',
      () =>
        Object.defineProperty(new Error('x'), 'sent', {
          ...{ value: sent(), enumerable: false, configurable: true },
        }),
    ],
    ['a symbol', () => Object.assign(new Error('x'), { [Symbol('sent')]: sent() })],
    ['another text', () => Object.assign(new Error('x'), { input: 'redis://:my secret@host' })],
    [
      'the message',
      () =>
        new Error(
          "ERR unknown command 'hello', with args beginning with: '3' 'AUTH' 'me' 'my secret'",
        ),
    ],
  ])('loses what was sent in %s', (_, make) => {
    expect(shown(make())).toContain('my secret')
    expect(shown(bareError(make()))).not.toContain('my secret')
  })

  it('may be underneath itself, or be none', () => {
    const error = Object.assign(new Error('x'), sent())
    error.cause = error
    expect(shown(bareError(error))).not.toContain('my secret')
    expect(bareError('x')).toBe('x')
    expect(bareError(undefined)).toBeUndefined()
  })
})
