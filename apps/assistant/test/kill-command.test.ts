import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SessionEventProjector } from '@holdfast/core'
import { expect, test } from 'vitest'
import { itemsOf, runApp, startApp, withStorage } from './app.ts'
import { temporaryFolder } from './temporary.ts'

const ROUNDS = 12
const LINES = 25
const SESSION = 'killed'
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test(`kill -9 at ${ROUNDS} random points of allowed commands: none runs twice, each call has one output`, {
  timeout: 300_000,
}, async () => {
  const cwd = temporaryFolder()
  const log = () =>
    existsSync(join(cwd, 'log.txt'))
      ? readFileSync(join(cwd, 'log.txt'), 'utf8').trim().split('\n').map(Number)
      : []
  let asked = 0
  let unknown = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { child, ended } = startApp(['--session', SESSION, '--approve'], { cwd })
    const before = log().length
    for (let n = 0; n < LINES; n++) child.stdin.write(`run \`echo ${asked + n} >> log.txt\`\n`)
    while (log().length === before && child.exitCode === null) await pause(2)
    await pause(Math.random() * 200)
    child.kill('SIGKILL')
    expect((await ended).signal).toBe('SIGKILL')
    // A command that was begun ends by itself.
    await pause(50)
    const pending = await runApp(['--session', SESSION, '--once', '/pending'], { cwd })
    const calls = [...pending.stdout.matchAll(/^(\S+): run_command, may have run/gm)]
    expect(calls.length).toBeLessThanOrEqual(1)
    unknown += calls.length
    if (calls.length > 0) {
      const answered = await runApp(['--session', SESSION, '--once', '/output killed'], { cwd })
      expect(answered.code, answered.stderr).toBe(0)
    }
    const users = (await itemsOf(cwd, SESSION)).filter(({ role }) => role === 'user')
    asked = users.length
  }
  // A turn more: what a kill left in memory alone is in the log with the next save.
  await runApp(['--session', SESSION, '--approve'], { cwd, input: '/pending\nhello\n' })

  const ran = log()
  expect(ran).toEqual([...new Set(ran)])
  const items = await itemsOf(cwd, SESSION)
  const outputs = items.filter(({ type }) => type === 'function_call_output')
  const ids = (type: string) => items.filter((item) => item.type === type).map((i) => i['call_id'])
  expect(ids('function_call_output').sort()).toEqual(ids('function_call').sort())
  const done = outputs.filter(({ output }) => String(output).startsWith('[exit code 0]'))
  expect(outputs.length - done.length).toBe(unknown)
  // Whatever has an output did run; what was killed may have, or not.
  expect(done.length).toBeLessThanOrEqual(ran.length)
  expect(ran.length).toBeLessThanOrEqual(outputs.length)
  await withStorage(cwd, async (storage) => {
    const record = await storage.sessions().load(SESSION)
    expect(SessionEventProjector.deriveSnapshot(record?.events ?? [])).toEqual({ items })
  })
  console.info(
    `${ROUNDS} kills, ${unknown} while a command may have run; ${ran.length} commands ran`,
  )
})
