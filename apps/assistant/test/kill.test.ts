import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentItem, SessionEventProjector } from '@holdfast/core'
import { expect, test } from 'vitest'
import { textOf } from '../src/model/transcript.ts'
import { itemsOf, runApp, startApp, withStorage } from './app.ts'
import { temporaryFolder } from './temporary.ts'

const ROUNDS = 25
const QUESTIONS_PER_ROUND = 40
const SESSION = 'killed'
/** What is counted here must not be compacted away. */
const env = { HOLDFAST_CONTEXT_TOKENS: '1000000' }

/** A small generator whose numbers a printed seed brings back. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A question whose number comes back in its answer; every third works for a while in the files. */
const question = (n: number): string =>
  [
    `what is ${n}+0`,
    `what is ${n}+0 and search for needle`,
    `what is ${n}+0 and add todo thing ${n}`,
  ][n % 3] as string

/** The numbers whose answers were printed in full. */
const acknowledged = (stdout: string): number[] =>
  [...stdout.matchAll(/^(\d+)\+0 = (\d+)\n/gm)].map(([, asked, answer]) => {
    expect(answer).toBe(asked)
    return Number(asked)
  })

const texts = (items: readonly AgentItem[], role: string): string[] =>
  items.filter((item) => item['role'] === role).map((item) => textOf(item['content']))

const idsOf = (items: readonly AgentItem[], type: string): unknown[] =>
  items.filter((item) => item.type === type).map((item) => item['call_id'])

/** Nothing printed is missing, nothing is there twice, no output is without its call. */
function check(items: readonly AgentItem[], printed: ReadonlySet<number>): void {
  const asked = texts(items, 'user')
  expect(new Set(asked).size).toBe(asked.length)
  const answers = texts(items, 'assistant').flatMap((text) => acknowledged(`${text}\n`))
  expect(new Set(answers).size).toBe(answers.length)
  const known = new Set(answers)
  for (const n of printed) {
    expect(asked).toContain(question(n))
    expect(known.has(n), `the answer to question ${n} was printed and is not stored`).toBe(true)
  }
  const calls = idsOf(items, 'function_call')
  const outputs = idsOf(items, 'function_call_output')
  expect(new Set(calls).size).toBe(calls.length)
  expect(new Set(outputs).size).toBe(outputs.length)
  for (const id of outputs) expect(calls).toContain(id)
}

test(`kill -9 at ${ROUNDS} random points: nothing printed is lost, nothing is doubled, the chat goes on`, {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  console.info(`SEED=${seed}`)
  const next = random(seed)
  const cwd = temporaryFolder()
  const files = join(cwd, 'files')
  mkdirSync(files)
  for (let n = 0; n < 60; n++) writeFileSync(join(files, `${n}.txt`), 'hay\n'.repeat(5_000))

  const printed = new Set<number>()
  let asked = 0
  let inTheMiddle = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { child, ended, stdout } = startApp(['--session', SESSION, '--rerun'], { cwd, env })
    for (let n = 0; n < QUESTIONS_PER_ROUND; n++) child.stdin.write(`${question(asked + n)}\n`)
    // Some are killed while they start, open the database or mend the last turn; most while they answer.
    if (next() < 0.8) while (stdout() === '' && child.exitCode === null) await pause(2)
    await pause(next() * 500)
    child.kill('SIGKILL')
    const result = await ended
    expect(result.signal, result.stderr).toBe('SIGKILL')
    for (const n of acknowledged(result.stdout)) printed.add(n)

    const items = await itemsOf(cwd, SESSION)
    check(items, printed)
    if (items.length > 0 && items.at(-1)?.['role'] !== 'assistant') inTheMiddle++
    // A question that was stored is not asked again; the others were lost with the pipe.
    const stored = texts(items, 'user').length
    const all = texts(items, 'user')
    asked = stored === 0 ? 0 : Math.max(...all.map((text) => Number(/\d+/.exec(text)?.[0]))) + 1
  }

  const last = await runApp(['--session', SESSION, '--rerun'], {
    cwd,
    env,
    input: 'what is on my list\n',
  })
  expect(last).toMatchObject({ code: 0 })
  const items = await itemsOf(cwd, SESSION)
  check(items, printed)
  expect(items.at(-1)).toMatchObject({ role: 'assistant' })
  // Every call has exactly one output in the end, those that were killed too.
  expect(idsOf(items, 'function_call_output').sort()).toEqual(idsOf(items, 'function_call').sort())
  // Every question that was stored has its answer, in the end.
  const answers = texts(items, 'assistant').flatMap((text) => acknowledged(`${text}\n`))
  expect(answers.sort((a, b) => a - b)).toEqual(Array.from({ length: asked }, (_, n) => n))

  // What was recorded leads to what is remembered, however often the record was behind at a kill.
  await withStorage(cwd, async (storage) => {
    const record = await storage.sessions().load(SESSION)
    expect(SessionEventProjector.deriveSnapshot(record?.events ?? [])).toEqual({ items })
    const numbers = record?.events.map(({ sequence }) => sequence) ?? []
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })

  const todos = await withStorage(cwd, (storage) =>
    storage.scope('todo').memory(SESSION).getItems(),
  )
  const expected = Array.from({ length: asked }, (_, n) => n).filter((n) => n % 3 === 2)
  expect(todos.map(({ text }) => text)).toEqual(expected.map((n) => `thing ${n}`))
  console.info(
    `${ROUNDS} kills, ${inTheMiddle} in the middle of a turn; ${asked} questions stored, ${printed.size} answers printed, ${items.length} items`,
  )
  expect(inTheMiddle).toBeGreaterThan(0)
  expect(printed.size).toBeGreaterThan(ROUNDS / 2)
})
