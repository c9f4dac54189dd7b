import {
  createAgent,
  createStorage,
  MemoryDriver,
  type ScriptedStep,
  scriptedModel,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import {
  assistant,
  call,
  deferred,
  expectPaired,
  output,
  rejection,
  settle,
  simpleTool,
} from './support.ts'

/** An agent in one process, and the same storage seen by another. */
function twoProcesses(script: ScriptedStep[], run: () => unknown = () => 'x') {
  const driver = new MemoryDriver()
  const storage = createStorage(driver)
  const other = createStorage(driver)
  const modelClient = scriptedModel(script)
  const agent = createAgent({
    modelClient,
    model: 'm',
    tools: [simpleTool('t', run)],
    memorySupplier: (id) => storage.memory(id),
  })
  return { agent, other, driver, modelClient, memory: other.memory('s') }
}

const oneCall = { calls: [{ name: 't', callId: 'c' }] }

describe('a run whose memory is deleted meanwhile', () => {
  it('ends with CONFLICT before the next model call, and writes nothing more', async () => {
    const { agent, other, modelClient } = twoProcesses([oneCall, 'late'], async () => {
      await other.deleteMemory('s')
      return 'x'
    })
    const session = await agent.session('s')
    await rejection(session.run('1'), 'CONFLICT')
    expect(modelClient.prompts).toHaveLength(1)
    expect((await other.listMemories()).memories).toEqual([])
  })

  it('does not go on in the life that somebody else began', async () => {
    const { agent, other, memory, modelClient } = twoProcesses([oneCall, 'late'], async () => {
      await other.deleteMemory('s')
      await other.memory('s').addUserInput('new life')
      return 'x'
    })
    await rejection((await agent.session('s')).run('1'), 'CONFLICT')
    expect(await memory.getItems()).toEqual([userMessage('new life')])
    expect(modelClient.prompts).toHaveLength(1)
  })

  it('stores no answer and starts no tool when it went during the model call', async () => {
    let ran = 0
    const { agent, other, memory } = twoProcesses(
      [
        async () => {
          await other.deleteMemory('s')
          return oneCall
        },
      ],
      () => ++ran,
    )
    await rejection((await agent.session('s')).run('1'), 'CONFLICT')
    expect(ran).toBe(0)
    expect(await memory.getItems()).toEqual([])
    expect((await other.listMemories()).memories).toEqual([])
  })

  it('keeps the output of a fast tool out of the new life while a slow one still runs', async () => {
    const gate = deferred<string>()
    const { agent, other } = twoProcesses([oneCall], () => gate.promise)
    const run = (await agent.session('s')).run('1')
    await settle()
    await other.deleteMemory('s')
    gate.resolve('x')
    await rejection(run, 'CONFLICT')
    expect((await other.listMemories()).memories).toEqual([])
  })

  it('does not ask the model when it went right after, or right before, the input was stored', async () => {
    for (const before of [false, true]) {
      for (const when of ['after', 'before'] as const) {
        const { agent, other, driver, modelClient } = twoProcesses(['x'])
        if (before) await other.memory('s').addUserInput('before')
        else if (when === 'before') continue
        const { append, replace } = driver
        let armed = true
        const around =
          <A extends unknown[], R>(write: (...args: A) => Promise<R>) =>
          async (...args: A) => {
            if (!armed) return write.apply(driver, args)
            armed = false
            if (when === 'before') await other.deleteMemory('s')
            const answer = await write.apply(driver, args)
            if (when === 'after') await other.deleteMemory('s')
            return answer
          }
        driver.append = around(append)
        driver.replace = around(replace)
        await rejection((await agent.session('s')).run('1'), 'CONFLICT')
        expect(modelClient.prompts).toHaveLength(0)
        expect((await other.listMemories()).memories).toEqual([])
      }
    }
  })

  it('does not go on in the life that began right after its own first write', async () => {
    const { agent, other, driver, modelClient } = twoProcesses(['x'])
    const { replace } = driver
    driver.replace = async (...args) => {
      driver.replace = replace
      const answer = await replace.apply(driver, args)
      await other.deleteMemory('s')
      await other.memory('s').addUserInput('new life')
      return answer
    }
    await rejection((await agent.session('s')).run('1'), 'CONFLICT')
    expect(modelClient.prompts).toHaveLength(0)
    expect(await other.memory('s').getItems()).toEqual([userMessage('new life')])
  })

  it('keeps the result of a tool although a read fails while it runs', async () => {
    const { agent, driver, memory } = twoProcesses([oneCall, 'done'], () => {
      const { read } = driver
      driver.read = async () => {
        driver.read = read
        throw new Error('blip')
      }
      return 'paid'
    })
    const session = await agent.session('s')
    await session.run('1').catch(() => session.run(null))
    expect(await memory.getItems()).toContainEqual(output('c', 'paid'))
  })
})

describe('a run over a stored memory', () => {
  it('goes through clear, which ends no life', async () => {
    const { agent, other, memory } = twoProcesses([oneCall, 'done'], async () => {
      await other.memory('s').clear()
      return 'x'
    })
    expect((await (await agent.session('s')).run('1')).text).toBe('done')
    expect(await memory.getItems()).toEqual([output('c', 'x'), assistant('done')])
  })

  it('goes on over many steps and runs, and beside other writers', async () => {
    const { agent, other, memory } = twoProcesses([oneCall, oneCall, 'one', oneCall, 'two'], () =>
      other.memory('s').addUserInput('aside'),
    )
    const session = await agent.session('s')
    await session.run('1')
    await session.run('2')
    expectPaired(await memory.getItems())
    expect(await memory.getItems()).toHaveLength(2 + 3 * 3 + 2)
  })

  it('starts from nothing: no input, nothing stored', async () => {
    for (const nothing of [null, undefined, []]) {
      const { agent, memory, modelClient } = twoProcesses([oneCall, 'done'])
      expect((await (await agent.session('s')).run(nothing)).text).toBe('done')
      expect(modelClient.prompts[0]?.items).toEqual([])
      expect(await memory.getItems()).toHaveLength(3)
    }
  })

  it('begins a new life after a deletion, through a session that is opened anew', async () => {
    const { agent, other, memory } = twoProcesses(['one', 'two'])
    const session = await agent.session('s')
    await session.run('1')
    await other.deleteMemory('s')
    await rejection(session.run('2'), 'CONFLICT')
    expect(await memory.getItems()).toEqual([])
    expect((await (await agent.session('s')).run('2')).text).toBe('two')
    await rejection(session.run('3'), 'CONFLICT')
    expect(await memory.getItems()).toEqual([userMessage('2'), assistant('two')])
  })

  it('reports the calls that a killed process left, and ends them when it is told to', async () => {
    const { agent, other, memory } = twoProcesses(['ok'])
    await other.memory('s').addOutputItems([call('t', 'k')])
    const session = await agent.session('s')
    await rejection(session.run('Go on'), 'PENDING_CALLS')
    expect(await session.pending()).toEqual([
      { callId: 'k', name: 't', arguments: '{}', state: 'unknown' },
    ])
    await session.run('Go on', { onPending: 'close' })
    expectPaired(await memory.getItems())
  })

  it('refuses two runs at once through two handles of one memory', async () => {
    const gate = deferred<string>()
    const { agent, memory } = twoProcesses([() => gate.promise, 'x'])
    const run = (await agent.session('s')).run('1')
    await settle()
    await rejection((await agent.session('s')).run('2'), 'CONFLICT')
    gate.resolve('first')
    await run
    expect(await memory.getItems()).toEqual([userMessage('1'), assistant('first')])
  })
})
