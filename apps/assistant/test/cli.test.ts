import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { functionCallOutput, userMessage } from '@holdfast/core'
import { describe, expect, inject, test } from 'vitest'
import { itemsOf, runApp, withStorage } from './app.ts'
import { temporaryFolder } from './temporary.ts'

const files = { 'README.md': '# A place\nwith revision\n', 'docs/a.md': 'x' }

describe('--once', () => {
  test('prints the answer and nothing else to stdout', async () => {
    const cwd = temporaryFolder(files)
    const result = await runApp(['--once', 'what is 17*23 and read README.md'], { cwd })
    expect(result.stdout).toBe('17*23 = 391\nREADME.md:\n# A place\nwith revision\n')
    expect(result.stderr.split('\n')[0]).toMatch(/^Rule-based model \(no key set\)/)
    expect(result.code).toBe(0)
  })

  test('a session is kept from one process to the next', async () => {
    const cwd = temporaryFolder(files)
    const once = async (question: string) =>
      (await runApp(['--session', 'mine', '--once', question], { cwd })).stdout
    expect(await once('add todo buy milk')).toBe('Added #1 buy milk\n')
    expect(await once('mark 1 done and what is on my list')).toBe(
      'Done: #1 buy milk\nYour list:\n#1 [x] buy milk\n',
    )
    expect(await once('what did I ask before?')).toBe(
      'You asked 2 things before:\n  1. add todo buy milk\n  2. mark 1 done and what is on my list\n',
    )
    expect((await runApp(['--session', 'other', '--once', 'my list'], { cwd })).stdout).toBe(
      'Your list:\n[the list is empty]\n',
    )
  })

  test('a failure is one line with its code, and exit code 1', async () => {
    const cwd = temporaryFolder()
    const fail = (env: NodeJS.ProcessEnv, ...args: string[]) =>
      runApp(['--once', 'hello', ...args], { cwd, env })
    const bad = await fail({ HOLDFAST_URL: 'nonsense:x' })
    expect(bad).toMatchObject({ code: 1, stdout: '' })
    expect(bad.stderr).toMatch(/^error INVALID_ARGUMENT: .*\n$/m)
    expect(bad.stderr).not.toMatch(/^ {4}at /m)
    expect((await fail({ HOLDFAST_URL: 'nonsense:x', HOLDFAST_DEBUG: '1' })).stderr).toMatch(
      /^ {4}at /m,
    )
    expect((await fail({}, '--session', 'a\nb')).stderr).toContain('error INVALID_ARGUMENT')
    expect((await fail({}, '--folder', 'missing')).stderr).toContain('error INVALID_ARGUMENT')
    const noFolder = await runApp(['--once', 'hello'], {
      cwd: temporaryFolder({ '.holdfast': '' }),
    })
    expect(noFolder).toMatchObject({ code: 1, stdout: '' })
    expect(noFolder.stderr).toMatch(/^error STORAGE_FAILED: .*HOLDFAST_URL.*\n$/m)
    const broken = temporaryFolder({ '.holdfast/assistant.db': 'no database'.repeat(1_000) })
    const failed = await runApp(['--once', 'hello'], { cwd: broken })
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toMatch(/^error [A-Z_]+: .*\n$/m)
  })
})

describe('piped input', () => {
  test.each([
    ['line feeds', 'what is 1+1\nwhat is 2+2\nwhat is 3+3\n'],
    ['no line feed at the end', 'what is 1+1\n\n  \nwhat is 2+2\nwhat is 3+3'],
    ['carriage returns', 'what is 1+1\r\nwhat is 2+2\r\nwhat is 3+3\r\n'],
  ])('every line is answered in order: %s', async (_, input) => {
    const result = await runApp([], { cwd: temporaryFolder(), input })
    expect(result).toMatchObject({ code: 0, stdout: '1+1 = 2\n2+2 = 4\n3+3 = 6\n' })
  })

  test('200 lines at once are 200 answers', async () => {
    const lines = Array.from({ length: 200 }, (_, n) => `what is ${n}+0`)
    const result = await runApp([], { cwd: temporaryFolder(), input: lines.join('\n') })
    expect(result.stdout).toBe(lines.map((_, n) => `${n}+0 = ${n}\n`).join(''))
    expect(result.code).toBe(0)
  })

  test('no input is no answer and nothing stored; /quit ends early', async () => {
    const cwd = temporaryFolder()
    expect(await runApp([], { cwd })).toMatchObject({ code: 0, stdout: '' })
    const result = await runApp([], { cwd, input: 'what is 1+1\n/quit\nwhat is 2+2\n' })
    expect(result).toMatchObject({ code: 0, stdout: '1+1 = 2\n' })
    const ids = await withStorage(cwd, async (storage) => (await storage.listMemories()).memories)
    expect(ids).toHaveLength(1)
  })

  test('what fails is said, the rest goes on, and the exit code is 1', async () => {
    const cwd = temporaryFolder()
    const input = '/resume nobody\n/foo\n/resume\nwhat is 1+1\n'
    const result = await runApp([], { cwd, input })
    expect(result).toMatchObject({ code: 1, stdout: '1+1 = 2\n' })
    expect(result.stderr).toContain('error NOT_FOUND: There is no session "nobody"')
    expect(result.stderr).toContain('error INVALID_ARGUMENT: Unknown command /foo')
    expect(result.stderr).toContain('error INVALID_ARGUMENT: /resume needs')
  })

  test('a reader that leaves early (| head) is no error', async () => {
    const cwd = temporaryFolder({ 'long.txt': 'line\n'.repeat(3_000) })
    const command = `yes 'read long.txt' | head -n 300 | "$NODE" "$APP" 2>err | head -n 1; cat err >&2`
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], {
      cwd,
      env: { ...process.env, NODE: process.execPath, APP: inject('app') },
    })
    expect(stdout).toBe('long.txt:\n')
    expect(stderr).not.toMatch(/EPIPE|error|^ {4}at /m)
  })
})

describe('options', () => {
  test('--help and --version answer on stdout', async () => {
    const cwd = temporaryFolder()
    const help = await runApp(['--help'], { cwd })
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const word of ['--once', '--session', '--folder', 'HOLDFAST_URL']) {
      expect(help.stdout).toContain(word)
    }
    const version = await runApp(['--version'], { cwd })
    expect(version.stdout).toMatch(/^holdfast-assistant \d+\.\d+\.\d+\n$/)
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false)
  })

  test.each([
    [['--nope']],
    [['word']],
    [['--once']],
    [['--once', '  ']],
    [['--session', '']],
    [['--help=yes']],
  ])('%j is wrong usage: exit code 2 and where help is', async (args) => {
    const result = await runApp(args, { cwd: temporaryFolder() })
    expect(result).toMatchObject({ code: 2, stdout: '' })
    expect(result.stderr).toMatch(/^.+ --help shows the options\.\n$/)
  })

  test('--folder is what the tools see; the storage stays where the program was started', async () => {
    const cwd = temporaryFolder({ ...files, 'secret.txt': 'x' })
    const result = await runApp(['--folder', 'docs', '--once', 'list files'], { cwd })
    expect(result.stdout).toBe('.:\na.md\n')
    expect(statSync(join(cwd, '.holdfast/assistant.db')).isFile()).toBe(true)
    expect(readFileSync(join(cwd, '.holdfast/.gitignore'), 'utf8')).toBe('*\n')
  })

  test('HOLDFAST_URL names another storage', async () => {
    const cwd = temporaryFolder()
    const env = { HOLDFAST_URL: 'sqlite:./elsewhere.db' }
    await runApp(['--session', 'a', '--once', 'hello'], { cwd, env })
    expect(existsSync(join(cwd, 'elsewhere.db'))).toBe(true)
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false)
    const again = await runApp(['--session', 'a', '--once', 'what did I ask?'], { cwd, env })
    expect(again.stdout).toContain('1. hello')
  })
})

describe('output', () => {
  test('has no colours and no control characters, whatever a file or an id holds', async () => {
    const evil = '\u001b]0;title\u0007\u001b[2J\u009b31m red \u202e txt\rover'
    const cwd = temporaryFolder({ 'evil.txt': `${evil}\nend\tof it` })
    const input =
      'read evil.txt\nsearch for red\n/memory\n/memory --json\n/sessions\nadd todo \u001b[31mx\n'
    const result = await runApp(['--session', 'x\u202ey'], {
      cwd,
      input,
      env: { FORCE_COLOR: '1' },
    })
    // Everything but line feed and tab.
    expect(result.stdout + result.stderr).not.toMatch(/(?![\n\t])[\p{Cc}\u202e]/u)
    expect(result.stdout).toContain(
      '\\u001b]0;title\\u0007\\u001b[2J\\u009b31m red \\u202e txt\\u000dover',
    )
    expect(result.stdout).toContain('end\tof it')
    expect(result.code).toBe(0)
  })

  test('/memory --json is what is stored, also with control characters in it', async () => {
    const cwd = temporaryFolder({ 'evil.txt': 'a\u0085b\u007f\u2028\u001b[0m' })
    await runApp(['--session', 's', '--once', 'read evil.txt'], { cwd })
    const shown = await runApp(['--session', 's', '--once', '/memory --json'], { cwd })
    expect(JSON.parse(shown.stdout)).toEqual(await itemsOf(cwd, 's'))
    expect(JSON.parse(shown.stdout)).toHaveLength(4)
  })
})

describe('sessions', () => {
  test('/sessions shows the last used first, 20 a page; /resume goes on with one', async () => {
    const cwd = temporaryFolder()
    await runApp(['--session', 's00', '--once', 'what is 1+1'], { cwd })
    await withStorage(cwd, async (storage) => {
      for (let n = 1; n < 45; n++) {
        await storage.memory(`s${String(n).padStart(2, '0')}`).addUserInput('hello')
      }
      await storage.scope('todo').memory('list').addUserInput('no session')
    })
    const ids = (text: string) => [...text.matchAll(/ (s\d\d)(?= {2}\(|$)/gm)].map(([, id]) => id)
    const pages = await Promise.all(
      ['/sessions', '/sessions 2', '/sessions 3'].map(
        async (command) => (await runApp(['--once', command], { cwd })).stdout,
      ),
    )
    expect(pages.map((page) => ids(page).length)).toEqual([20, 20, 5])
    expect(pages[0]).toContain('Page 1 of 3; /sessions 2 shows more.')
    expect(new Set(pages.flatMap(ids)).size).toBe(45)
    expect(ids(pages[2] ?? '').at(-1)).toBe('s00')
    expect((await runApp(['--once', '/sessions 4'], { cwd })).code).toBe(1)

    const resumed = await runApp([], {
      cwd,
      input: '/resume s00\nwhat did I ask?\n/new t\nwhat did I ask?\n',
    })
    expect(resumed.stdout).toBe(
      'Session s00: 4 items.\nYou asked 1 thing before:\n  1. what is 1+1\nSession t.\nThis is the first thing you ask in this session.\n',
    )
  })

  test('a turn that a kill cut short is answered at the next start, when nobody can know what ran', async () => {
    const cwd = temporaryFolder(files)
    await runApp(['--session', 's', '--once', 'hello'], { cwd })
    await withStorage(cwd, async (storage) => {
      const memory = storage.memory('s')
      await memory.addUserInput(userMessage('what is 2+2 and read README.md'))
      const call = (call_id: string, name: string, args: object) => ({
        type: 'function_call',
        call_id,
        name,
        arguments: JSON.stringify(args),
      })
      await memory.addOutputItems([
        call('one', 'calculate', { expression: '2+2' }),
        call('two', 'read_file', { path: 'README.md' }),
      ])
      await memory.addToolOutput('one', '4')
    })
    const run = (...args: string[]) =>
      runApp(['--session', 's', ...args], { cwd, input: 'what is 3+3\n' })
    const asked = await run()
    expect(asked).toMatchObject({ code: 3, stdout: '' })
    expect(asked.stderr).toContain('two: read_file, may have run when the process ended')
    const result = await run('--rerun')
    expect(result).toMatchObject({ code: 0 })
    expect(result.stdout).toBe('2+2 = 4\nREADME.md:\n# A place\nwith revision\n3+3 = 6\n')
    const items = await itemsOf(cwd, 's')
    expect(items).toContainEqual(functionCallOutput('two', '# A place\nwith revision'))
    const names = items.filter(({ type }) => type === 'function_call').map(({ name }) => name)
    expect(names).toEqual(['calculate', 'read_file', 'calculate'])
  })

  test('a question that was killed before its first model call is answered at the next start', async () => {
    const cwd = temporaryFolder(files)
    await withStorage(cwd, (storage) => storage.memory('s').addUserInput('what is 2+2'))
    const result = await runApp(['--session', 's'], { cwd, input: '/sessions\n' })
    expect(result.stderr).toContain('There is a question without an answer')
    expect(result.stdout).toMatch(/^2\+2 = 4\n\* .* {2}s\n$/)
  })
})
