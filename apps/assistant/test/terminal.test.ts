import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentItem } from '@holdfast/core'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { itemsOf } from './app.ts'
import { temporaryFolder } from './temporary.ts'

const hasTmux = spawnSync('tmux', ['-V']).status === 0
/** A tmux server of its own for each start: one that is being stopped still answers for a moment. */
let socket = ''
let starts = 0

const tmux = (...args: string[]): string =>
  execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' })

/** The lines on the screen, without the empty ones at its end. */
const screen = (...options: string[]): string =>
  tmux('capture-pane', '-p', '-t', 'chat', ...options).trimEnd()

/** Waits for the screen to show `pattern`. */
async function shows(pattern: RegExp): Promise<string> {
  const deadline = performance.now() + 20_000
  for (;;) {
    const text = screen()
    if (pattern.test(text)) return text
    if (performance.now() > deadline) throw new Error(`${pattern} is not shown:\n${text}`)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

const type = (text: string): string => tmux('send-keys', '-t', 'chat', '-l', text)
const press = (...keys: string[]): string => tmux('send-keys', '-t', 'chat', ...keys)
const enter = (text: string): string => type(text) + press('Enter')

function stop(): void {
  if (socket !== '') spawnSync('tmux', ['-L', socket, 'kill-server'])
  socket = ''
}

/** Starts the program in a terminal; after it the shell says its exit code. */
function start(cwd: string, args = '', env = ''): void {
  stop()
  socket = `holdfast-${process.pid}-${starts++}`
  const command = `env -u HOLDFAST_URL -u NO_COLOR ${env} '${process.execPath}' '${inject('app')}' ${args}; echo "exit code $?"; sleep 60`
  tmux(
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-s',
    'chat',
    '-x',
    '100',
    '-y',
    '40',
    '-c',
    cwd,
    command,
  )
}

// A name that says why, so that a missing tmux is seen.
describe.skipIf(!hasTmux)(hasTmux ? 'in a terminal' : 'in a terminal (skipped: no tmux)', () => {
  afterEach(stop)

  test('the first line says which model answers; questions, editing and Ctrl-D work', async () => {
    const cwd = temporaryFolder()
    start(cwd)
    const first = await shows(/^> ?$/m)
    expect(first.split('\n')[0]).toMatch(/^Rule-based model \(no key set\)/)
    expect(screen('-e')).toContain('\u001b[')
    type('what is 1+2')
    press('Left')
    type('1')
    // Readline of Node 20 takes keys that come in one read for pasted text, and that it adds at the end.
    await shows(/^> what is 1\+12$/m)
    press('Enter')
    expect(await shows(/= 1\d/)).toContain('· calculate {"expression":"1+12"}')
    await shows(/1\+12 = 13/)
    press('C-d')
    await shows(/To go on: npm start -- --session \S+\nexit code 0/)
  })

  test('the history comes back in the next process, in a file of its owner alone', async () => {
    const cwd = temporaryFolder()
    start(cwd)
    await shows(/^> ?$/m)
    enter('what is 20+3')
    await shows(/= 23/)
    enter('/quit')
    await shows(/exit code 0/)
    start(cwd)
    await shows(/^> ?$/m)
    press('Up', 'Up')
    await shows(/^> what is 20\+3$/m)
    press('Enter')
    await shows(/20\+3 = 23/)
    expect(readFileSync(join(cwd, '.holdfast/history'), 'utf8')).toBe(
      'what is 20+3\n/quit\nwhat is 20+3\n',
    )
    expect(statSync(join(cwd, '.holdfast/history')).mode & 0o777).toBe(0o600)
  })

  test('Ctrl-C stops the answer and not the program; twice at an empty prompt it leaves', async () => {
    const cwd = temporaryFolder()
    const files = join(cwd, 'files')
    mkdirSync(files)
    // Sparse: 250 MB to search, nothing on the disk.
    for (let n = 0; n < 3_000; n++) {
      writeFileSync(join(files, `${n}`), '')
      truncateSync(join(files, `${n}`), 80_000)
    }
    start(cwd, '--session s')
    await shows(/^> ?$/m)
    enter('search for needle')
    await shows(/· search_files/)
    press('C-c')
    await shows(/\[stopped\]\n> ?$/)
    enter('what is 1+1')
    await shows(/1\+1 = 2/)

    type('half a line')
    press('C-c')
    await shows(/half a line\n> ?$/)
    press('C-c')
    await shows(/Ctrl-C again, Ctrl-D or \/quit leaves\.\n> ?$/)
    press('C-c')
    await shows(/exit code 0/)

    const items = await itemsOf(cwd, 's')
    const turn = ['user', 'function_call', 'function_call_output']
    expect(items.map(({ type: kind, role }) => role ?? kind)).toEqual([
      ...turn,
      ...turn,
      'assistant',
    ])
    expect(items[2]?.['output']).toMatch(/^Aborted:/)
  })

  test('a second Ctrl-C leaves, and the session goes on in the next process', async () => {
    const cwd = temporaryFolder()
    start(cwd, '--session s --approve')
    await shows(/^> ?$/m)
    enter('run `sleep 60`')
    await shows(/· run_command/)
    press('C-c', 'C-c')
    await shows(/\[stopped\]\n(> \n)?\n?To go on: .*\nexit code 0/)
    start(cwd, '--session s')
    await shows(/^> ?$/m)
    enter('what is 1+1')
    await shows(/1\+1 = 2/)
  })

  test('a risky call is shown and asked about; leaving it waiting, the next start asks again', async () => {
    const cwd = temporaryFolder()
    start(cwd, '--session s')
    await shows(/^> ?$/m)
    enter('write "tea" to list.txt')
    await shows(
      /needs your approval:\n {2}list\.txt, 3 characters in 1 line:\n {2}\| tea\nRun it\? .*> ?$/,
    )
    press('C-d')
    await shows(/exit code 0/)
    expect(existsSync(join(cwd, 'list.txt'))).toBe(false)
    start(cwd, '--session s')
    await shows(/Run it\? .*> ?$/)
    press('C-c')
    await shows(/\[waiting for you; .*\]\n> ?$/)
    enter('/pending')
    await shows(/waits for an approval/)
    enter('what is 1+1')
    await shows(/Run it\? .*> ?$/)
    enter('y')
    await shows(/Created list\.txt \(3 bytes\)\n· calculate .*\n1\+1 = 2\n> ?$/)
    expect(readFileSync(join(cwd, 'list.txt'), 'utf8')).toBe('tea')
    // What was said to a question is no line of the chat.
    press('Up')
    await shows(/^> what is 1\+1$/m)
  })

  test('NO_COLOR is heeded, and what is typed ahead is kept', async () => {
    const cwd = temporaryFolder()
    start(cwd, '', 'NO_COLOR=1')
    await shows(/^> ?$/m)
    expect(screen('-e')).not.toContain('\u001b[')
    type('what is 1+1\nwhat is 2+2\nwhat is 3+3\nwhat is 4')
    await shows(
      /> what is 2\+2\n· calculate .*\n2\+2 = 4\n> what is 3\+3\n· calculate .*\n3\+3 = 6\n> what is 4$/,
    )
    enter('+4')
    await shows(/4\+4 = 8/)
  })

  test('a terminal that is closed ends the command that runs in it, and the session goes on', async () => {
    const cwd = temporaryFolder()
    start(cwd, '--session s --approve 2> errors.txt')
    await shows(/^> ?$/m)
    enter('run `echo $$ > pid.txt; exec sleep 300`')
    const path = join(cwd, 'pid.txt')
    while (!existsSync(path) || !readFileSync(path, 'utf8').endsWith('\n')) await pause(20)
    const pid = Number(readFileSync(path, 'utf8'))
    stop()
    const isGone = () => {
      const stat = `/proc/${pid}/stat`
      return !existsSync(stat) || /\) Z /.test(readFileSync(stat, 'utf8'))
    }
    const stored = async () => outputOf((await itemsOf(cwd, 's')).at(-1))
    const deadline = performance.now() + 10_000
    while (!(isGone() && (await stored())) && performance.now() < deadline) await pause(50)
    expect(isGone()).toBe(true)
    // Stored in good order, not merely killed: it has its output, and nobody is asked about it.
    expect(await stored()).toMatch(/^Aborted:/)
    // Until it has ended; the shell around it is gone too, so its errors went to a file.
    await pause(500)
    expect(readFileSync(join(cwd, 'errors.txt'), 'utf8')).not.toMatch(/error|Assertion/i)
  })
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const outputOf = (item: AgentItem | undefined): string | undefined =>
  item?.type === 'function_call_output' ? String(item['output']) : undefined
