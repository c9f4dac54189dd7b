import { describe, expect, it } from 'vitest'
import { classifyMongodb, isDuplicateId } from '../src/errors.ts'
import { clients } from './support/clients.ts'

describe.each(Object.entries(clients))('errors of %s', (_, client) => {
  const server = (code: number) => new client.MongoServerError({ message: 'of the server', code })

  it.each([
    [6, 'transient'],
    [7, 'transient'],
    [91, 'transient'],
    [189, 'transient'],
    [9001, 'transient'],
    [10107, 'transient'],
    [11600, 'transient'],
    [11602, 'transient'],
    [13435, 'transient'],
    [13436, 'transient'],
    [112, 'transient'],
    [64, 'transient'],
    [10334, 'too-large'],
    [17280, 'too-large'],
    [17419, 'too-large'],
    [13, 'refused'],
    [14031, 'refused'],
    [121, 'refused'],
    [8, undefined],
  ])('with the code %i are %s', (code, kind) => {
    expect(classifyMongodb(server(code))).toBe(kind)
  })

  it('are known by their names and labels', () => {
    expect(classifyMongodb(new client.MongoNetworkError('cut'))).toBe('transient')
    expect(classifyMongodb(new client.MongoNetworkTimeoutError('late'))).toBe('transient')
    expect(classifyMongodb(new client.MongoNotConnectedError('closed'))).toBe('closed')
    expect(classifyMongodb(new client.MongoTopologyClosedError('closed'))).toBe('closed')
    const labelled = server(8)
    labelled.addErrorLabel('RetryableWriteError')
    expect(classifyMongodb(labelled)).toBe('transient')
  })

  it('of the write concern leave the outcome open, whatever their code', () => {
    const unknown = new client.MongoWriteConcernError({
      ok: 1,
      writeConcernError: { code: 13, errmsg: 'not now' },
    })
    expect(classifyMongodb(unknown)).toBe('transient')
  })

  it('about a duplicate are a lost race where the duplicate is the _id', () => {
    const duplicate = (keyPattern?: object) =>
      Object.assign(server(11000), keyPattern && { keyPattern })
    expect(isDuplicateId(duplicate({ _id: 1 }))).toBe(true)
    expect(isDuplicateId(duplicate())).toBe(true)
    expect(isDuplicateId(duplicate({ revision: 1 }))).toBe(false)
    expect(isDuplicateId(server(13))).toBe(false)
  })
})

it.each([undefined, null, 'text', 7, {}, new Error('x'), { name: 'toString' }])(
  'makes nothing of %j',
  (error) => {
    expect(classifyMongodb(error)).toBeUndefined()
    expect(isDuplicateId(error)).toBe(false)
  },
)
