import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentItem } from '@holdfast/core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { Recorder } from '../recordings/recorder.ts'
import { itemsOf, runApp, withStorage } from './app.ts'
import { temporaryFolder } from './temporary.ts'

const WRITE = 'write "hello" to a.txt'
const RUN = 'run `echo once >> log.txt`'

/** A chat that is driven through pipes; its folder is gone after the test. */
function chat(args: readonly string[] = ['--session', 's']): Recorder {
  const recorder = new Recorder(inject('app'), {})
  onTestFinished(() => void recorder.end())
  recorder.start(...args)
  return recorder
}

const outputsOf = (items: readonly AgentItem[]): unknown[] =>
  items.filter(({ type }) => type === 'function_call_output').map(({ output }) => output)

describe('where nobody can be asked', () => {
  test('--once runs nothing risky, says so, exits with 3; --approve allows it', async () => {
    const cwd = temporaryFolder()
    const refused = await runApp(['--session', 's', '--once', WRITE], { cwd })
    expect(refused).toMatchObject({ code: 3, stdout: '' })
    expect(refused.stderr).toMatch(/write_file, waits for an approval\n {2}a\.txt, 5 characters/)
    expect(refused.stderr).toMatch(/^error PENDING_CALLS: .*--approve/m)
    expect(existsSync(join(cwd, 'a.txt'))).toBe(false)
    const allowed = await runApp(['--session', 't', '--approve', '--once', WRITE], { cwd })
    expect(allowed).toMatchObject({ code: 0, stdout: 'Created a.txt (5 bytes)\n' })
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('hello')
  })

  test('the next process answers the call: /approve, /reject with a reason, --approve, --reject', async () => {
    const cwd = temporaryFolder()
    for (const session of ['a', 'b', 'c', 'd']) {
      expect((await runApp(['--session', session, '--once', RUN], { cwd })).code).toBe(3)
    }
    const once = (session: string, ...args: string[]) =>
      runApp(['--session', session, ...args], { cwd })
    expect((await once('a', '--once', '/pending')).stdout).toMatch(
      /^tool_step_0_0: run_command, waits for an approval\n {2}\$ echo once >> log\.txt\n$/,
    )
    expect(await once('a', '--once', '/approve')).toMatchObject({
      code: 0,
      stdout: '$ echo once >> log.txt\n[exit code 0]\n[no output]\n',
    })
    expect((await once('b', '--once', '/reject not today')).stdout).toContain('Rejected: not today')
    const asked = await once('c', '--once', 'what is 1+1')
    expect(asked).toMatchObject({ code: 3, stdout: '' })
    expect(asked.stderr).toContain('The question was not asked')
    expect((await once('c', '--approve', '--once', 'what is 1+1')).stdout).toMatch(/1\+1 = 2\n$/)
    expect((await once('d', '--reject', '--once', 'what is 1+1')).stdout).toMatch(/1\+1 = 2\n$/)
    expect(outputsOf(await itemsOf(cwd, 'd'))[0]).toBe('Rejected: nobody was there to allow it.')
    expect(readFileSync(join(cwd, 'log.txt'), 'utf8')).toBe('once\nonce\n')
    expect((await once('a', '--once', '/approve')).stderr).toContain('No call waits.')
  })

  test('a pipe ends at the question behind it, with 3; commands may still answer', async () => {
    const cwd = temporaryFolder()
    const input = `what is 1+1\n${RUN}\n/pending\nwhat is 2+2\nwhat is 3+3\n`
    const stopped = await runApp(['--session', 's'], { cwd, input })
    expect(stopped.code).toBe(3)
    expect(stopped.stdout).toMatch(/^1\+1 = 2\ntool_step_0_0_2: run_command/)
    expect(stopped.stdout).not.toContain('2+2')
    expect(existsSync(join(cwd, 'log.txt'))).toBe(false)
    const answered = await runApp(['--session', 's'], { cwd, input: '/approve\nwhat is 2+2\n' })
    expect(answered.code).toBe(0)
    expect(answered.stdout).toMatch(/\[no output\]\n2\+2 = 4\n$/)
    expect(readFileSync(join(cwd, 'log.txt'), 'utf8')).toBe('once\n')
  })

  test('of several calls that wait, each is named', async () => {
    const cwd = temporaryFolder()
    const once = (...args: string[]) => runApp(['--session', 's', ...args], { cwd })
    expect((await once('--once', 'run `touch a` and run `touch b`')).code).toBe(3)
    const vague = await once('--once', '/approve')
    expect(vague.code).toBe(1)
    expect(vague.stderr).toContain('Say which call: tool_step_0_0, tool_step_0_1.')
    expect((await once('--once', '/approve tool_step_0_1')).code).toBe(3)
    expect(existsSync(join(cwd, 'b'))).toBe(true)
    expect(existsSync(join(cwd, 'a'))).toBe(false)
    expect((await once('--once', '/reject tool_step_0_0 one is enough')).stdout).toContain(
      'Rejected: one is enough',
    )
  })

  test('--rerun alone runs nothing that nobody approved, though it looks as if it had run', async () => {
    const cwd = temporaryFolder()
    await withStorage(cwd, async (storage) => {
      const memory = storage.memory('s')
      await memory.addUserInput(RUN)
      const call = { type: 'function_call', call_id: 'one', name: 'run_command' }
      const args = JSON.stringify({ command: 'echo once >> log.txt' })
      await memory.addOutputItems([{ ...call, arguments: args }])
    })
    const run = (...args: string[]) => runApp(['--session', 's', ...args], { cwd })
    expect((await run('--rerun')).code).toBe(3)
    expect(existsSync(join(cwd, 'log.txt'))).toBe(false)
    expect((await run('--rerun', '--approve')).code).toBe(0)
    expect(readFileSync(join(cwd, 'log.txt'), 'utf8')).toBe('once\n')
  })

  test('a question of the assistant waits for its answer; --approve does not answer it', async () => {
    const cwd = temporaryFolder()
    const once = (...args: string[]) => runApp(['--session', 's', ...args], { cwd })
    expect((await once('--approve', '--once', 'ask me my name')).code).toBe(3)
    expect((await once('--once', '/pending')).stdout).toMatch(/waits for an answer\n {2}my name\?/)
    expect((await once('--once', '/output Ann')).stdout).toBe('You say: Ann\n')
  })
})

describe('a person', () => {
  test('sees what would be done, and says yes, no, or what its output is', async () => {
    const chatting = chat()
    await chatting.type(WRITE)
    await chatting.type('perhaps')
    await chatting.type('y')
    await chatting.shows(/Created a\.txt \(5 bytes\)\n> $/)
    expect(chatting.text).toMatch(
      /write_file needs your approval:\n {2}a\.txt, 5 characters in 1 line:\n {2}\| hello\nRun it\?/,
    )
    await chatting.type(RUN)
    await chatting.type('no it is late')
    await chatting.shows(/Rejected: it is late\n> $/)
    await chatting.type(RUN)
    await chatting.type('o it printed 7')
    await chatting.shows(/\$ echo once >> log\.txt\nit printed 7\n> $/)
    await chatting.type('/quit')
    expect(await chatting.ends()).toBe(0)
    expect(existsSync(join(chatting.folder, 'log.txt'))).toBe(false)
  })

  test('who leaves it waiting, by l, Ctrl-C, the end of the input or a kill, is asked again', async () => {
    const chatting = chat()
    await chatting.type(RUN)
    await chatting.type('l')
    await chatting.shows(/\[waiting for you.*\]\n> $/)
    await chatting.type('/quit')
    await chatting.ends()

    chatting.start('--session', 's')
    await chatting.shows(/Run it\?.*> $/)
    chatting.interrupt()
    await chatting.shows(/\[waiting for you.*\]\n> $/)
    await chatting.type('what is 1+1')
    await chatting.shows(/Run it\?.*> $/)
    await chatting.kill()

    chatting.start('--session', 's')
    await chatting.type('y')
    await chatting.shows(/\[no output\]\n> $/)
    await chatting.type('/pending')
    await chatting.shows(/No call waits\.\n> $/)
    await chatting.type('/quit')
    await chatting.ends()
    expect(readFileSync(join(chatting.folder, 'log.txt'), 'utf8')).toBe('once\n')
    // The question that came while the call waited was not asked.
    expect(
      (await itemsOf(chatting.folder, 's')).filter(({ role }) => role === 'user'),
    ).toHaveLength(1)
  })

  test('what was typed before the question was seen does not answer it', async () => {
    const recorder = new Recorder(inject('app'), {})
    onTestFinished(() => void recorder.end())
    recorder.start('--session', 's')
    await recorder.type(`${RUN}\ny`)
    await recorder.shows(/Run it\?.*> $/)
    await recorder.type('n')
    await recorder.shows(/> y\n[\s\S]*> $/)
    await recorder.type('/quit')
    await recorder.ends()
    expect(existsSync(join(recorder.folder, 'log.txt'))).toBe(false)
  })
})

describe('a process that is killed while a command runs', () => {
  const LONG = 'run `echo begun >> begun.txt; sleep 30`'

  /** Killed when the command has certainly begun. */
  async function killed(): Promise<Recorder> {
    const chatting = chat()
    await chatting.type(LONG)
    await chatting.type('y')
    await chatting.makes('begun.txt', 'begun\n')
    await chatting.kill()
    return chatting
  }

  test('never runs it again unasked: in a pipe it is reported, with 3', async () => {
    const cwd = (await killed()).folder
    const next = await runApp(['--session', 's'], { cwd, input: 'what is 1+1\n' })
    expect(next).toMatchObject({ code: 3, stdout: '' })
    expect(next.stderr).toContain(
      'run_command, may have run when the process ended, and may still be running; what it did is unknown',
    )
    const approved = await runApp(['--session', 's', '--approve', '--once', 'hello'], { cwd })
    expect(approved.code).toBe(3)
    expect(readFileSync(join(cwd, 'begun.txt'), 'utf8')).toBe('begun\n')
    const skipped = await runApp(['--session', 's', '--once', '/output it went well'], { cwd })
    expect(skipped).toMatchObject({ code: 0 })
    expect(skipped.stdout).toContain('it went well')
    expect(readFileSync(join(cwd, 'begun.txt'), 'utf8')).toBe('begun\n')
  })

  test('the person runs it again, skips it with a reason, or says what it did', async () => {
    const chatting = await killed()
    chatting.start('--session', 's')
    await chatting.shows(/Run it again\?.*> $/)
    await chatting.type('n look first')
    await chatting.shows(/Rejected: look first\n> $/)
    await chatting.type('/quit')
    await chatting.ends()
    expect(readFileSync(join(chatting.folder, 'begun.txt'), 'utf8')).toBe('begun\n')

    const again = await killed()
    again.start('--session', 's')
    await again.type('y')
    await again.makes('begun.txt', 'begun\nbegun\n')
    again.interrupt()
    await again.shows(/\[stopped\]\n> $/)
    await again.type('/quit')
    await again.ends()
    expect(readFileSync(join(again.folder, 'begun.txt'), 'utf8')).toBe('begun\nbegun\n')
    const items = await itemsOf(again.folder, 's')
    expect(outputsOf(items)).toEqual([expect.stringMatching(/^Aborted:/)])
    // Exactly one call, and one output of it.
    expect(items.filter(({ type }) => type === 'function_call')).toHaveLength(1)
    await withStorage(again.folder, async (storage) => {
      const record = await storage.sessions().load('s')
      expect(record?.events.filter(({ type }) => type === 'TOOL_RESULT')).toHaveLength(1)
    })
  })
})
