import { describe, expect, it } from 'vitest'
import { expectPaired, output, rejection } from '../runtime/support.ts'
import { agentOf, asking, calls, expectFold, risky, typesOf, waiting } from './session-support.ts'

describe('an answer', () => {
  const open = async () => {
    const session = await agentOf([calls('asks'), 'done'], { tools: [asking('?')] }).newSession()
    await session.run('Hi')
    return session
  }

  it('is taken once', async () => {
    for (const answer of [
      { reply: 1 },
      { output: 'x' },
      { reject: 'x' },
      { approve: true },
    ] as const) {
      const session = await open()
      const answers = [session.answer('asks', answer), session.answer('asks', { reply: 2 })]
      const [first, second] = await Promise.allSettled(answers)
      expect(first?.status).toBe('fulfilled')
      expect(second).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } })
      await session.run(null)
      await rejection(session.answer('asks', answer), 'CONFLICT')
      expectPaired(await session.memory.getItems())
      await expectFold(session)
    }
  })

  it('is NOT_FOUND for a call that is not there', async () => {
    const session = await open()
    await rejection(session.answer('else', { reply: 1 }), 'NOT_FOUND')
    await rejection(session.answer(undefined as never, { reply: 1 }), 'NOT_FOUND')
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'approve'],
    ['an empty object', {}],
    ['two at once', { approve: true, reply: 1 }],
    ['approve: false', { approve: false }],
    ['a reason that is no text', { reject: 5 }],
    ['no reply', { reply: undefined }],
    ['an output that is none', { output: 5 }],
    ['something else', { maybe: true }],
    ['rerun of a call that waits', { rerun: true }],
  ])('is INVALID_ARGUMENT where it is %s; the call still waits', async (_, answer) => {
    const session = await open()
    await rejection(session.answer('asks', answer as never), 'INVALID_ARGUMENT')
    expect(await session.pending()).toHaveLength(1)
    expect(typesOf(session)).not.toContain('ANSWERED')
  })

  it('is NOT_SERIALIZABLE where JSON cannot carry it', async () => {
    const session = await open()
    await rejection(session.answer('asks', { reply: new Date() as never }), 'NOT_SERIALIZABLE')
    await rejection(session.answer('asks', { output: [{ at: 1n }] }), 'NOT_SERIALIZABLE')
    expect(await session.pending()).toHaveLength(1)
  })

  it('outlives a trim of the log, replies and requests too', async () => {
    const session = await agentOf([calls('asks'), 'done'], {
      tools: [asking('1?', '2?')],
    }).newSession()
    await session.run('Hi')
    await session.answer('asks', { reply: 'one' })
    await session.run(null)
    await session.trimEvents(session.eventLog.lastSequence + 1)
    expect(await session.pending()).toEqual([waiting('asks', '2?')])
    await session.answer('asks', { reply: 'two' })
    await session.trimEvents(session.eventLog.lastSequence + 1)
    expect((await session.run(null)).text).toBe('done')
    expect(await session.memory.getItems()).toContainEqual(output('asks', '["one","two"]'))
    await expectFold(session)
  })

  it('to a call that was undone lets no later call of its id run', async () => {
    let ran = 0
    const turns = [calls('risky'), calls('risky')]
    const session = await agentOf(turns, { tools: [risky(true, () => ++ran)] }).newSession()
    await session.run('Hi')
    await session.answer('risky', { approve: true })
    await session.undo()
    const again = await session.run('Hi again')
    expect(again.interruptions).toEqual([waiting('risky')])
    expect((await session.run(null)).status).toBe('interrupted')
    expect(ran).toBe(0)
  })
})
