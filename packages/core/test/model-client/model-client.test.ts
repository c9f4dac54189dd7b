import { describe, expect, it } from 'vitest'
import {
  callSignal,
  codeWord,
  failedRequest,
  isNetwork,
  isSetup,
  outputsById,
  platformCode,
  RequestFailure,
  reportedError,
  retryAfterMs,
} from '../../src/model-client.ts'

const now = () => Date.parse('2030-01-01T00:00:00Z')

describe('retryAfterMs', () => {
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': ' 1.5 ' }, 1_500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after': 'Tue, 01 Jan 2030 00:00:09 GMT' }, 9_000],
    [{ 'retry-after': 'Mon, 31 Dec 2029 00:00:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': '1e9' }, undefined],
    [{}, undefined],
  ])('%j is %j', (headers: Record<string, string>, ms) => {
    expect(retryAfterMs((name) => headers[name], now)).toBe(ms)
  })
})

describe('an error of an endpoint', () => {
  it.each([
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['model_not_found', 'model_not_found'],
    ['sk_live_abcdef', undefined],
    ['sk-proj-0123456789abcdef', undefined],
    ['Tell me about my account', undefined],
    [429, undefined],
  ])('its code %j is shown as %j', (code, shown) => {
    expect(codeWord({ code })).toBe(shown)
  })

  it.each([
    [{ code: 'rate_limit_exceeded', message: 'Please try again in 1.2s.' }, true, 1_200],
    [{ code: 'server_error' }, true, undefined],
    [{ code: 503 }, true, undefined],
    [{ status: 400 }, false, undefined],
    [{ code: 'insufficient_quota' }, false, undefined],
    [{ code: 'something_new' }, false, undefined],
  ])('%j inside an answer', (body, retryable, wait) => {
    const error = reportedError('It failed', body, { begun: false })
    expect(error).toMatchObject({ name: 'ModelRequestError', retryable })
    expect(error.retryAfterMs).toBe(wait)
    expect(error.cause).toBe(body)
  })

  it('may be over with another try where the answer had begun', () => {
    expect(reportedError('It failed', { code: 'something_new' }, { begun: true }).retryable).toBe(
      true,
    )
  })

  it('is named by status and code alone', () => {
    const error = failedRequest(
      'The endpoint refused the request',
      { retryable: false, status: 401, code: 'invalid_api_key' },
      new Error('the key sk-secret is wrong'),
    )
    expect(error).toBeInstanceOf(RequestFailure)
    expect(error.message).toBe(
      'The endpoint refused the request (status 401, invalid_api_key); see the cause.',
    )
    expect(Object.keys(error)).not.toContain('requestId')
  })
})

describe('an error of the platform', () => {
  const wrapped = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error('inner'), { code }) })

  it.each(['ECONNRESET', 'ENOTFOUND', 'UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE'])(
    '%s is the network',
    (code) => {
      expect([isNetwork(wrapped(code)), isSetup(wrapped(code))]).toEqual([true, false])
      expect(platformCode(wrapped(code))).toBe(code)
    },
  )

  it.each(['ERR_INVALID_URL', 'UND_ERR_INVALID_ARG'])('%s is the set-up', (code) => {
    expect([isNetwork(wrapped(code)), isSetup(wrapped(code))]).toEqual([false, true])
  })

  it('is found in causes that go in a circle', () => {
    const error = new Error('outer')
    error.cause = error
    expect(isNetwork(error)).toBe(false)
  })
})

it('the signal of a call follows its caller, and lets go', () => {
  const caller = new AbortController()
  const released = callSignal(caller.signal)
  released.release()
  const followed = callSignal(caller.signal)
  caller.abort('enough')
  expect([released.signal.aborted, followed.signal.reason]).toEqual([false, 'enough'])
  expect(callSignal(caller.signal).signal.reason).toBe('enough')
})

it('outputs are found by the id of their call, in order', () => {
  const output = (call_id: string, text: string) => ({
    type: 'function_call_output',
    call_id,
    output: text,
  })
  const found = outputsById([
    output('a', '1'),
    { type: 'message' },
    output('b', '2'),
    output('a', '3'),
  ])
  expect([...found].map(([id, items]) => [id, items.map((one) => one['output'])])).toEqual([
    ['a', ['1', '3']],
    ['b', ['2']],
  ])
})
