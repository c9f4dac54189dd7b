import { SessionEventProjector } from '@holdfast/core'
import { describe, expect, test } from 'vitest'
import { nearestName } from '../src/chat/nearest-name.ts'
import { itemsOf, runApp, withStorage } from './app.ts'
import { temporaryFolder } from './temporary.ts'

/** Each line through one process; what it says. */
async function say(cwd: string, session: string, ...lines: string[]): Promise<string> {
  const result = await runApp(['--session', session], { cwd, input: lines.join('\n') })
  return result.stdout + result.stderr.replace(/^.*\n.*\n/, '')
}

describe('commands', () => {
  test('/help names them all, and every one of them is there', async () => {
    const cwd = temporaryFolder()
    const { stdout } = await runApp(['--once', '/help'], { cwd })
    const names = [...stdout.matchAll(/^ {2}\/(\w+)/gm)].map(([, name]) => name)
    expect(names.sort()).toEqual(
      'approve clear compact events fork help memory new output pending quit reject replace rerun resume save sessions undo'.split(
        ' ',
      ),
    )
  })

  test('a word that is none of them names the nearest one', async () => {
    const cwd = temporaryFolder()
    const result = await runApp(['--once', '/comapct'], { cwd })
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toContain('Unknown command /comapct; did you mean /compact? /help lists')
    expect(nearestName('sess', ['sessions', 'save'])).toBe('sessions')
    expect(nearestName('SAVE', ['sessions', 'save'])).toBe('save')
    expect(nearestName('usve', ['sessions', 'save'])).toBe('save')
    expect(nearestName('constructor', ['sessions', 'save'])).toBeUndefined()
    expect(nearestName('', ['sessions'])).toBeUndefined()
    expect((await runApp(['--once', '/constructor'], { cwd })).code).toBe(1)
    expect((await runApp(['--once', '/'], { cwd })).stderr).toContain('Unknown command /;')
  })

  test('/fork goes on with a copy, its to-do list too; the source stays as it is', async () => {
    const cwd = temporaryFolder()
    await say(cwd, 'a', 'add todo tea')
    const text = await say(cwd, 'a', '/fork b', 'mark 1 done', 'what is on my list')
    expect(text).toContain('Session b, a copy of a: 4 items.\nDone: #1 tea')
    expect(await say(cwd, 'a', 'what is on my list')).toContain('#1 [ ] tea')
    expect(await say(cwd, 'b', 'what is on my list')).toContain('#1 [x] tea')
    expect(await say(cwd, 'a', '/fork b')).toContain(
      'error CONFLICT: Session "b" exists already; /resume b goes on with it, /fork with another id',
    )
    expect(await say(cwd, 'a', '/fork')).toMatch(/^Session \d{8}-\S+, a copy of a: 8 items\.$/m)
  })

  test('/undo takes the last question back, /clear all of them; the log keeps both', async () => {
    const cwd = temporaryFolder()
    const text = await say(cwd, 's', 'what is 1+1', 'hello', '/undo', 'what did I ask before?')
    expect(text).toContain('Taken back: hello\nYou asked 1 thing before:\n  1. what is 1+1\n')
    const cleared = await say(cwd, 's', '/clear', 'what did I ask before?', '/undo', '/undo')
    expect(cleared).toContain('The memory is empty.\nThis is the first thing you ask')
    expect(cleared).toContain('There is no question to take back.')
    expect(await itemsOf(cwd, 's')).toEqual([])
    expect(await say(cwd, 's', '/events 1000')).toMatch(
      /USER_INPUT[\s\S]*"undo"[\s\S]*"clear"[\s\S]*"undo"/,
    )
  })

  test('a session that was cleared is not new', async () => {
    const cwd = temporaryFolder()
    const first = await runApp(['--session', 's'], { cwd, input: 'hello\n/clear\n' })
    expect(first.stderr).toContain('Session s (new).')
    const next = await runApp(['--session', 's'], { cwd })
    expect(next.stderr).toContain('Session s (0 items stored).')
    expect(await say(cwd, 'other', '/new s')).toContain('Session s, which exists: 0 items.')
    expect(await say(cwd, 'other', '/new t')).toContain('Session t.')
  })

  test('/replace puts another output in place; one of no call is NOT_FOUND', async () => {
    const cwd = temporaryFolder({ LICENSE: 'free' })
    const text = await say(
      cwd,
      's',
      'read LICENSE',
      '/replace tool_step_0_0 short  of it',
      '/memory',
    )
    expect(text).toContain('output (tool_step_0_0): short of it')
    expect((await itemsOf(cwd, 's'))[2]).toMatchObject({ output: 'short  of it' })
    expect(await say(cwd, 's', '/replace nothing x')).toContain('error NOT_FOUND')
    expect(await say(cwd, 's', '/replace tool_step_0_0')).toContain('error INVALID_ARGUMENT')
  })

  test('/save and /events; what is stored folds to what is remembered', async () => {
    const cwd = temporaryFolder()
    const text = await say(cwd, 's', 'what is 1+1', '/save', '/events 2')
    const saved = Number(/^Saved up to event (\d+)\.$/m.exec(text)?.[1])
    expect(text).toMatch(
      / FINAL_OUTPUT step 1 \{"text":"1\+1 = 2"\}\n.* STEP_END step 1 \{"calls":0\}\n/,
    )
    expect(await say(cwd, 's', '/events 0')).toContain('error INVALID_ARGUMENT')
    expect(await say(cwd, 'none', '/events')).toContain('Nothing has happened')
    await withStorage(cwd, async (storage) => {
      const record = await storage.sessions().load('s')
      expect(record?.events.at(-1)?.sequence).toBeGreaterThanOrEqual(saved)
      expect(SessionEventProjector.deriveSnapshot(record?.events ?? [])).toEqual(
        await storage.memory('s').snapshot(),
      )
    })
  })

  test('/resume and /new of the session that is open lose nothing', async () => {
    const cwd = temporaryFolder()
    const lines = ['what is 1+1', '/resume s', 'what is 2+2', '/new s', 'what is 3+3']
    const result = await runApp(['--session', 's'], { cwd, input: lines.join('\n') })
    expect(result.stderr).not.toContain('error')
    expect(result.code).toBe(0)
    await withStorage(cwd, async (storage) => {
      const record = await storage.sessions().load('s')
      expect(record?.memory.items).toHaveLength(12)
      expect(record?.metadata.attributes).toEqual({ title: 'what is 1+1', questions: 3 })
    })
  })

  test('/sessions tells sessions apart by their first question', async () => {
    const cwd = temporaryFolder()
    await say(cwd, 'a', `what is 1+1 ${'😀'.repeat(60)}`, 'hello')
    const text = await say(cwd, 'b', '/sessions')
    expect(text).toMatch(/ {2}a {2}\(2 questions: what is 1\+1 (😀)+…\)\n/u)
  })
})

describe('long conversations', () => {
  const env = { HOLDFAST_CONTEXT_TOKENS: '1000' }

  test('compact themselves: facts stay, /memory shows what was dropped, another process goes on', async () => {
    const cwd = temporaryFolder()
    const lines = ['remember that the launch code is 7319']
    for (let n = 0; n < 25; n++) lines.push(`what is ${n}+1`)
    const first = await runApp(['--session', 's'], { cwd, env, input: lines.join('\n') })
    expect(first.code).toBe(0)
    expect(first.stderr).toMatch(/\[compacted: \d+ items became \d+, \d+ dropped, .* characters/)
    const { stdout } = await runApp(['--session', 's', '--once', '/memory'], { cwd, env })
    expect(stdout).toMatch(
      /^Compacted \d+ times?; the last time: \d+ items became \d+, \d+ dropped/m,
    )
    expect(stdout).toMatch(/^The summary, which the model sees first:\n[\s\S]*launch code is 7319/m)
    const items = await itemsOf(cwd, 's')
    expect(JSON.stringify(items).length).toBeLessThan(4_000)
    const asked = await runApp(['--session', 's', '--once', 'what do you remember'], { cwd, env })
    expect(asked.stdout).toContain('launch code is 7319')
  })

  test('/compact does so now; where there is nothing to shorten it says so', async () => {
    const cwd = temporaryFolder()
    expect(await say(cwd, 's', '/compact')).toContain('There is nothing to compact yet.')
    const lines = [1, 2, 3, 4].map((n) => `what is ${n}+1`)
    expect(await say(cwd, 's', ...lines, '/compact', '/memory')).toMatch(
      /Compacted: 16 items became \d+, \d+ dropped[\s\S]*The summary/,
    )
  })

  test.each(['abc', '499', '1.5'])('HOLDFAST_CONTEXT_TOKENS=%s is refused', async (tokens) => {
    const result = await runApp(['--once', 'hello'], {
      cwd: temporaryFolder(),
      env: { HOLDFAST_CONTEXT_TOKENS: tokens },
    })
    expect(result.code).toBe(1)
    expect(result.stderr).toContain('error INVALID_ARGUMENT: HOLDFAST_CONTEXT_TOKENS')
  })
})
