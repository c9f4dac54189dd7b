import { expect, test } from 'vitest'
import { runApp, startApp } from './app.ts'
import { temporaryFolder } from './temporary.ts'

const KEYS = ['session', 'status', 'text', 'before', 'steps', 'usage', 'interruptions', 'error']

/** The one object on stdout. */
function objectOf(stdout: string) {
  expect(stdout).toMatch(/^\{.*\}\n$/)
  const object = JSON.parse(stdout)
  expect(KEYS).toEqual(expect.arrayContaining(Object.keys(object)))
  return object
}

const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

test.each([
  [['--once', 'what is 1+1'], 0, { status: 'completed', text: '1+1 = 2', steps: 2 }],
  [
    ['--once', '/sessions'],
    0,
    { status: 'completed', text: 'No session is stored yet.', steps: 0 },
  ],
  [
    ['--once', 'what is 1+1 and run `ls`'],
    3,
    {
      status: 'interrupted',
      steps: 1,
      interruptions: [
        {
          callId: 'tool_step_0_1',
          name: 'run_command',
          arguments: '{"command":"ls"}',
          state: 'waiting',
        },
      ],
      error: { code: 'PENDING_CALLS' },
    },
  ],
  [['--once', '/nope'], 1, { status: 'failed', error: { code: 'INVALID_ARGUMENT' } }],
  [
    ['--once', 'x', '--folder', 'missing'],
    1,
    { status: 'failed', error: { code: 'INVALID_ARGUMENT' } },
  ],
  [['--once', 'x', '--nope'], 2, { status: 'failed', error: { code: 'USAGE' } }],
  [[], 2, { status: 'failed', error: { code: 'USAGE' } }],
] as const)(
  '--json %j: exit code %i, one object, nothing on stderr',
  async (args, code, object) => {
    const result = await runApp(['--json', ...args], { cwd: temporaryFolder() })
    expect(result).toMatchObject({ code, stderr: '' })
    const answered = objectOf(result.stdout)
    expect(answered).toMatchObject({ usage, ...object })
    expect('error' in answered).toBe(code !== 0)
    if (code !== 2) expect(answered.session).toMatch(/^\d{8}-\d{6}-\w{4}$/)
  },
)

test('--json goes with --once alone, and is no word for the help', async () => {
  const cwd = temporaryFolder()
  expect((await runApp(['--json'], { cwd, input: 'hello\n' })).code).toBe(2)
  expect((await runApp(['--once', 'x', '--interactive'], { cwd })).code).toBe(2)
  expect((await runApp(['--help'], { cwd })).stdout).toMatch(/ 3 a call waits for somebody/)
})

test('hostile text is one line of JSON all the same', async () => {
  const evil = 'a\u0085b\u007f\u2028\u001b[0m 😀 \u202e'
  const cwd = temporaryFolder({ 'evil.txt': evil })
  const result = await runApp(['--json', '--once', 'read evil.txt'], { cwd })
  expect(result.stdout).not.toMatch(/(?!\n)[\p{Cc}\u202e\u2028]/u)
  expect(objectOf(result.stdout).text).toBe(`evil.txt:\n${evil}`)
})

test('Ctrl-C is status stopped, exit code 130, and the session goes on', async () => {
  const cwd = temporaryFolder()
  const long = ['--approve', '--session', 's', '--json', '--once', 'run `touch begun; sleep 30`']
  const { child, ended } = startApp(long, { cwd })
  const { existsSync } = await import('node:fs')
  while (!existsSync(`${cwd}/begun`)) await new Promise((resolve) => setTimeout(resolve, 20))
  child.kill('SIGINT')
  const result = await ended
  expect(result).toMatchObject({ code: 130, stderr: '' })
  expect(objectOf(result.stdout)).toMatchObject({ status: 'stopped', error: { code: 'ABORTED' } })
  const next = await runApp(['--session', 's'], { cwd, input: 'what is 1+1\n' })
  expect(next).toMatchObject({ code: 0, stdout: '1+1 = 2\n' })
})

test('the answer of a turn that is finished first comes as `before`', async () => {
  const cwd = temporaryFolder()
  const json = async (...args: string[]) =>
    objectOf((await runApp(['--session', 's', '--json', ...args], { cwd })).stdout)
  const first = await json('--once', 'run `echo seven`')
  expect(first).toMatchObject({ status: 'interrupted', text: '' })
  expect('before' in first).toBe(false)
  expect(await json('--approve', '--once', 'what is 1+1')).toMatchObject({
    status: 'completed',
    text: '1+1 = 2',
    before: '$ echo seven\n[exit code 0]\nseven\n',
    // One that says what the command printed, and two for the question.
    steps: 3,
  })
  expect('before' in (await json('--once', 'what is 1+1'))).toBe(false)
  // Not lost where the question itself has no answer yet, either; nor what a command says first.
  await json('--once', 'run `echo eight`')
  expect(await json('--approve', '--once', 'ask me my name')).toMatchObject({
    status: 'interrupted',
    text: '',
    before: '$ echo eight\n[exit code 0]\neight\n',
  })
  await json('--once', '/output Ann')
  await json('--once', 'run `echo nine`')
  expect(await json('--approve', '--once', '/resume s')).toMatchObject({
    status: 'completed',
    text: '$ echo nine\n[exit code 0]\nnine\n',
    before: expect.stringMatching(/^Session s: \d+ items\.$/),
  })
})
