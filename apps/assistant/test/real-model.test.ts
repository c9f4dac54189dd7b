import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
} from 'vitest'
import {
  completion,
  completionEvents,
  type Reply,
  response,
  responseEvents,
  startWireServer,
  type WireServer,
} from '../../../packages/openai/test/support/wire-server.ts'
import { Recorder } from '../recordings/recorder.ts'
import { type Ended, itemsOf, runApp } from './app.ts'
import { temporaryFolder } from './temporary.ts'

const KEY = 'sk-test-9f1c7e55aa'

let server: WireServer
beforeAll(async () => {
  server = await startWireServer()
})
afterAll(() => server.close())

const environment = (more: NodeJS.ProcessEnv = {}) => ({
  OPENAI_API_KEY: KEY,
  OPENAI_BASE_URL: server.url,
  HOLDFAST_MODEL: 'test-model',
  ...more,
})

const said = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})

const called = (name: string, args: object, callId = 'call_1') => ({
  type: 'function_call',
  id: `fc_${callId}`,
  call_id: callId,
  name,
  arguments: JSON.stringify(args),
  status: 'completed',
})

const responses = (...output: object[]): Reply => ({
  events: responseEvents(response(output as Record<string, unknown>[])),
})
const chat = (message: Record<string, unknown>): Reply => ({
  events: completionEvents(completion({ role: 'assistant', content: null, ...message })),
})

/** Everything below the folder that the program wrote, as one text. */
function stored(cwd: string): string {
  const names = readdirSync(cwd, { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

/** RULE of this program: the key is shown and stored nowhere. */
function expectNoKey(cwd: string, ...results: readonly Ended[]): void {
  for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain(KEY)
  expect(stored(cwd)).not.toContain(KEY)
}

let before = 0
beforeEach(() => {
  before = server.requests.length
})
const requests = () => server.requests.slice(before)

describe('with a key', () => {
  test('another endpoint is asked by Chat Completions, streaming; tools run and are answered', async () => {
    const cwd = temporaryFolder({ 'a.txt': 'seven' })
    const call = {
      id: 'call_9',
      type: 'function',
      function: { name: 'read_file', arguments: '{"path":"a.txt"}' },
    }
    server.reply(
      chat({ content: 'Let me look.', tool_calls: [call] }),
      chat({ content: 'It is 7 😀.' }),
    )
    const result = await runApp(['--session', 's', '--once', 'what is in a.txt?'], {
      cwd,
      env: environment(),
    })
    expect(result).toMatchObject({ code: 0, stdout: 'It is 7 😀.\n' })
    expect(result.stderr).toMatch(/^Model test-model at 127\.0\.0\.1:\d+ \(Chat Completions\)\.\n/)
    expect(requests().map(({ path }) => path)).toEqual([
      '/v1/chat/completions',
      '/v1/chat/completions',
    ])
    const { headers, body } = requests()[1] ?? {}
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}` })
    expect(body).toMatchObject({ model: 'test-model', stream: true })
    expect(body.messages.at(-1)).toMatchObject({
      role: 'tool',
      tool_call_id: 'call_9',
      content: 'seven',
    })
    expect(await itemsOf(cwd, 's')).toHaveLength(5)
    expectNoKey(cwd, result)
  })

  test('HOLDFAST_API=responses asks by the Responses API, and --json counts the tokens', async () => {
    const cwd = temporaryFolder()
    server.reply(
      responses(called('calculate', { expression: '6*7' })),
      responses(said('It is 42.')),
    )
    const result = await runApp(['--session', 's', '--json', '--once', 'what is 6*7'], {
      cwd,
      env: environment({ HOLDFAST_API: 'responses' }),
    })
    expect(requests().map(({ path }) => path)).toEqual(['/v1/responses', '/v1/responses'])
    expect(requests()[1]?.body.input.at(-1)).toMatchObject({ call_id: 'call_1', output: '42' })
    expect(JSON.parse(result.stdout)).toEqual({
      session: 's',
      status: 'completed',
      text: 'It is 42.',
      steps: 2,
      usage: { inputTokens: 22, outputTokens: 14, totalTokens: 36 },
      interruptions: [],
    })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expectNoKey(cwd, result)
  })

  test('the terminal shows the text as it arrives', async () => {
    const whole = completionEvents(completion({ role: 'assistant', content: 'One two three 😀' }))
    server.reply({ events: whole.slice(0, 3), ending: 'hold' })
    const chatting = new Recorder(inject('app'), {}, environment())
    onTestFinished(() => void chatting.end())
    chatting.start('--session', 's')
    await chatting.type('count')
    // The answer has not ended, and never will.
    await chatting.shows(/> count\nOne tw$/)
    chatting.interrupt()
    await chatting.shows(/One tw\n\[stopped\]\n> $/)
    server.reply({ events: whole })
    await chatting.type('again')
    await chatting.shows(/> again\nOne two three 😀\n> $/)
    await chatting.type('/quit')
    expect(await chatting.ends()).toBe(0)
    expect(
      requests()
        .at(-1)
        ?.body.messages.map(({ role }: { role: string }) => role),
    ).toEqual(['system', 'user', 'user'])
  })

  test('a risky call waits for approval, and is answered in another process', async () => {
    const cwd = temporaryFolder()
    const env = environment({ HOLDFAST_API: 'responses' })
    const once = (text: string) => runApp(['--session', 's', '--once', text], { cwd, env })
    server.reply(responses(called('run_command', { command: 'echo $((6*7)); env' })))
    expect((await once('run it')).code).toBe(3)
    server.reply(responses(said('Done.')))
    const done = await once('/approve')
    expect(done).toMatchObject({ code: 0, stdout: 'Done.\n' })
    const { output } = requests().at(-1)?.body.input.at(-1) ?? {}
    // The command's environment has neither the key nor its name.
    expect(output).toMatch(/^\[exit code 0\]\n42\n/)
    expect(output).not.toContain('OPENAI_API_KEY')
    expect(output).toContain('PATH=')
    expectNoKey(cwd, done)
  })
})

describe('what goes wrong', () => {
  const refused: Reply = {
    status: 401,
    json: { error: { message: `Incorrect API key provided: ${KEY}.`, code: 'invalid_api_key' } },
  }

  test.each([{}, { HOLDFAST_DEBUG: '1' }])('an endpoint that quotes the key: %j', async (more) => {
    const cwd = temporaryFolder()
    const env = environment(more)
    server.reply(refused, refused)
    const plain = await runApp(['--session', 's', '--once', 'hello'], { cwd, env })
    expect(plain).toMatchObject({ code: 1, stdout: '' })
    expect(plain.stderr).toMatch(/^error MODEL_FAILED: .*401/m)
    const json = await runApp(['--session', 's', '--json', '--once', 'hello'], { cwd, env })
    expect(json).toMatchObject({ code: 1, stderr: '' })
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: 'failed',
      session: 's',
      error: { code: 'MODEL_FAILED', message: expect.stringContaining('401') },
    })
    expectNoKey(cwd, plain, json)
  })

  test('a key in a question, a file, a command or a name reaches neither prompt, storage nor history', async () => {
    const chatting = new Recorder(inject('app'), { 'secret.txt': 'x' }, environment())
    onTestFinished(() => void chatting.end())
    const cwd = chatting.folder
    const call = (name: string, args: object) => ({
      tool_calls: [
        { id: name, type: 'function', function: { name, arguments: JSON.stringify(args) } },
      ],
    })
    server.reply(
      chat(
        call('run_command', {
          command: `tr '\\0' '\\n' < /proc/$PPID/environ | grep OPENAI_API; echo ${KEY}`,
        }),
      ),
      chat({ content: 'I saw it.' }),
    )
    const result = await runApp(['--session', 's', '--approve', '--once', `my key is ${KEY}`], {
      cwd,
      env: environment(),
    })
    expect(result).toMatchObject({ code: 0, stdout: 'I saw it.\n' })
    expect(
      requests()
        .map(({ text }) => text)
        .join('\n'),
    ).not.toContain(KEY)
    const { content } = requests().at(-1)?.body.messages.at(-1) ?? {}
    // Who reads it from the kernel finds it masked all the same.
    expect(content).toContain('OPENAI_API_KEY=[secret]\n[secret]')
    expectNoKey(cwd, result)
  })

  test('a host that is not there is named, with the code of the network, and never the key', async () => {
    const nobody = await startWireServer()
    await nobody.close()
    const { host } = new URL(nobody.url)
    const cwd = temporaryFolder()
    const env = environment({ OPENAI_BASE_URL: nobody.url })
    const message = `the connection to ${host} failed (ECONNREFUSED)`
    const plain = await runApp(['--once', 'hello'], { cwd, env })
    expect(plain).toMatchObject({ code: 1, stdout: '' })
    expect(plain.stderr).toContain(`\nerror MODEL_FAILED: ${message}\n`)
    expect(plain.stderr).toMatch(/; trying again in \d+\.\d s\]\n/)
    expect(plain.stderr).not.toContain('caused by')
    const json = await runApp(['--json', '--once', 'hello'], { cwd, env })
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'MODEL_FAILED', message } })
    const debug = await runApp(['--once', `my key is ${KEY}`], {
      cwd,
      env: { ...env, HOLDFAST_DEBUG: '1' },
    })
    // The whole chain, down to the socket.
    expect(debug.stderr).toMatch(/caused by .*ModelRequestError[\s\S]*caused by \(ECONNREFUSED\)/)
    const misspelt = await runApp(['--once', 'hello'], {
      cwd,
      env: environment({ OPENAI_BASE_URL: 'http://nobody.invalid:8198/v1' }),
    })
    expect(misspelt.stderr).toMatch(
      /^error MODEL_FAILED: the connection to nobody\.invalid:8198 failed \((ENOTFOUND|EAI_AGAIN)\)$/m,
    )
    expectNoKey(cwd, plain, json, debug, misspelt)
  })

  test('a busy endpoint is asked again', async () => {
    const cwd = temporaryFolder()
    const busy: Reply = { status: 429, headers: { 'retry-after-ms': '20' }, json: { error: {} } }
    server.reply(busy, chat({ content: 'now' }))
    const result = await runApp(['--once', 'hello'], { cwd, env: environment() })
    expect(result).toMatchObject({ code: 0, stdout: 'now\n' })
    expect(result.stderr).toMatch(/\[the model failed \(.*\); trying again in 0\.1 s\]/)
    expect(requests()).toHaveLength(2)
  })

  test('a failed question is gone on with at the next start', async () => {
    const cwd = temporaryFolder()
    server.reply(refused, chat({ content: 'hello to you' }), chat({ content: 'bye' }))
    await runApp(['--session', 's', '--once', 'hello'], { cwd, env: environment() })
    const next = await runApp(['--session', 's'], { cwd, env: environment(), input: 'bye\n' })
    expect(next).toMatchObject({ code: 0, stdout: 'hello to you\nbye\n' })
  })

  test.each([
    [{ OPENAI_BASE_URL: KEY }, /OPENAI_BASE_URL must be/],
    [{ OPENAI_BASE_URL: 'file:///x' }, /OPENAI_BASE_URL must be/],
    [{ HOLDFAST_API: KEY }, /HOLDFAST_API must be responses or chat/],
  ])('settings that cannot be: %j', async (more, message) => {
    const cwd = temporaryFolder()
    const result = await runApp(['--once', 'hello'], { cwd, env: environment(more) })
    expect(result.code).toBe(1)
    expect(result.stderr).toMatch(message)
    expectNoKey(cwd, result)
  })

  test('without a key, or with a blank one, the rule-based model answers and says so', async () => {
    for (const OPENAI_API_KEY of ['', '  ']) {
      const result = await runApp(['--once', 'what is 1+1'], {
        cwd: temporaryFolder(),
        env: environment({ OPENAI_API_KEY }),
      })
      expect(result.stdout).toBe('1+1 = 2\n')
      expect(result.stderr).toMatch(/^Rule-based model \(no key set\)/)
    }
    expect(requests()).toHaveLength(0)
  })
})
