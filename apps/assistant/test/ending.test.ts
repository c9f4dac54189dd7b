import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { Recorder } from '../recordings/recorder.ts'
import { itemsOf, runApp, startApp } from './app.ts'
import { temporaryFolder } from './temporary.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const SIGNALS = [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const
/** Says who it is, and starts something more that is to end with it. */
const LONG = 'run `sleep 300 & echo $! $$ > pids.txt; wait`'

async function pidsIn(cwd: string): Promise<number[]> {
  const path = join(cwd, 'pids.txt')
  while (!existsSync(path) || !/\d \d+\n/.test(readFileSync(path, 'utf8'))) await pause(20)
  return readFileSync(path, 'utf8').trim().split(' ').map(Number)
}

/** Gone, or a zombie that only its new parent has not collected yet. */
function isGone(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

async function expectGone(pids: readonly number[]): Promise<void> {
  const deadline = performance.now() + 3_000
  while (!pids.every(isGone) && performance.now() < deadline) await pause(20)
  expect(pids.filter((pid) => !isGone(pid))).toEqual([])
}

test.each(SIGNALS)(
  '%s while a command runs: exit code %i, one JSON object, no command left',
  async (signal, code) => {
    const cwd = temporaryFolder()
    const args = ['--session', 's', '--approve', '--json', '--once', LONG]
    const { child, ended } = startApp(args, { cwd })
    const pids = await pidsIn(cwd)
    child.kill(signal)
    // A second one, as a program between sends it, changes nothing.
    child.kill(signal)
    const result = await ended
    expect(result).toMatchObject({ code, signal: null, stderr: '' })
    expect(result.stdout).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(result.stdout)).toMatchObject({
      session: 's',
      status: 'stopped',
      error: { code: 'ABORTED' },
    })
    await expectGone(pids)
    // The call has its output: nothing waits for anybody.
    expect((await itemsOf(cwd, 's')).at(-1)).toMatchObject({
      type: 'function_call_output',
      output: expect.stringMatching(/^Aborted:/),
    })
    const next = await runApp(['--session', 's'], { cwd, input: 'what is 1+1\n' })
    expect(next).toMatchObject({ code: 0, stdout: '1+1 = 2\n' })
  },
)

test.each(SIGNALS)(
  '%s in the middle of a pipe: exit code %i, the rest is not asked',
  async (signal, code) => {
    const cwd = temporaryFolder()
    const { child, ended } = startApp(['--session', 's', '--approve'], { cwd })
    child.stdin.write(`what is 1+1\n${LONG}\nwhat is 2+2\n`)
    const pids = await pidsIn(cwd)
    child.kill(signal)
    expect(await ended).toMatchObject({ code, stdout: '1+1 = 2\n' })
    await expectGone(pids)
    expect((await itemsOf(cwd, 's')).filter(({ role }) => role === 'user')).toHaveLength(2)
  },
)

test('where nothing runs, a signal ends the program, too', async () => {
  const cwd = temporaryFolder()
  const { child, ended, stdout } = startApp([], { cwd })
  child.stdin.write('what is 1+1\n')
  while (stdout() === '') await pause(20)
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 143, stdout: '1+1 = 2\n' })
})

test('a signal that comes while the program starts leaves one JSON object', async () => {
  for (let round = 0; round < 5; round++) {
    const { child, ended } = startApp(['--json', '--once', LONG, '--approve'], {
      cwd: temporaryFolder(),
    })
    // From here on the program listens: it has opened its storage, or is about to.
    await pause(250 + round * 60)
    child.kill('SIGTERM')
    const { code, signal, stdout } = await ended
    // Before its first line of code ran, nothing of the program could answer.
    if (signal === 'SIGTERM') continue
    expect(code).toBe(143)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'stopped', error: { code: 'ABORTED' } })
  }
})

test('a question about a call outlives the signal', async () => {
  const chatting = new Recorder(inject('app'), {})
  onTestFinished(() => void chatting.end())
  chatting.start('--session', 's')
  await chatting.type('run `echo once >> log.txt`')
  await chatting.shows(/Run it\?.*> $/)
  chatting.signal('SIGTERM')
  expect(await chatting.ends()).toBe(143)
  chatting.start('--session', 's')
  await chatting.type('y')
  await chatting.shows(/\[no output\]\n> $/)
  await chatting.type('/quit')
  expect(await chatting.ends()).toBe(0)
  expect(readFileSync(join(chatting.folder, 'log.txt'), 'utf8')).toBe('once\n')
})
