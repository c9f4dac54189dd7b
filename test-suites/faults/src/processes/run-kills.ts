import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type AgentItem,
  createStorage,
  type MemorySnapshot,
  SessionLogReader,
} from '@holdfast/core'
import type { Random } from '../random.ts'
import { foldOf } from '../sessions/event-fold.ts'
import { pairingFaults } from '../sessions/pairing.ts'
import { openBackend, type SharedBackend } from './backends.ts'
import { Child } from './child.ts'
import type { RunOrders } from './kill-run.ts'
import { ITEMS } from './ten-steps.ts'

export interface KillOptions {
  /** The bundled program. */
  readonly program: string
  readonly folder: string
  readonly backend: SharedBackend
  readonly memory: RunOrders['memory']
  readonly kills: number
  readonly random: Random
}

export interface KillReport {
  /** Kills that met a run under way. */
  readonly kills: number
  readonly runs: number
  /** Most kills that one run survived. */
  readonly mostOfOneRun: number
  /** Tool executions, those that were let run again included. */
  readonly executions: number
  readonly reruns: number
  readonly twice: number
  readonly prompts: number
  readonly seconds: number
}

export const killText = (report: KillReport): string => {
  const { kills, runs, mostOfOneRun, executions, reruns, twice, prompts, seconds } = report
  return `${kills} kills met ${runs} runs (at most ${mostOfOneRun} one run), ${executions} tool executions, ${reruns} calls answered rerun, ${twice} ran again then, 0 unasked; ${prompts} prompts, 0 orphans; ${seconds.toFixed(1)} s`
}

/** Processes that have started up and wait for their turn. */
const READY = 3
/** A whole run prints 29 lines: so it takes several kills, anywhere in what is left of it. */
const MOST_LINES = 12

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []

/** Outputs that follow each other came from parallel calls: by their ids. */
export function inOrder(items: readonly AgentItem[]): AgentItem[] {
  const sorted: AgentItem[] = []
  let batch: AgentItem[] = []
  const end = () => {
    const id = (item: AgentItem) => String(item['call_id'])
    sorted.push(...batch.sort((a, b) => (id(a) < id(b) ? -1 : 1)))
    batch = []
  }
  for (const item of items) {
    if (item.type === 'function_call_output') batch.push(item)
    else {
      end()
      sorted.push(item)
    }
  }
  end()
  return sorted
}

/** What is stored of a session, as a process that starts now finds it. */
async function storedOf(
  { backend, memory }: KillOptions,
  path: string,
  id: string,
): Promise<MemorySnapshot> {
  const { driver, close } = await openBackend(backend, path)
  const storage = createStorage(driver)
  const record = await SessionLogReader.of(storage.sessions()).read(id)
  const snapshot = memory === 'step' ? await storage.memory(id).snapshot() : record.memory
  assert.deepEqual(record.memory, snapshot, 'the record of the session differs from its memory')
  assert.deepEqual(foldOf(record.events), snapshot, 'the events do not lead to the memory')
  close()
  return snapshot
}

/** Kills runs at random points, each time another process goes on, until `kills` met a run; throws where a promise is broken. */
export async function killRuns(options: KillOptions): Promise<KillReport> {
  const { program, folder, backend, memory, kills, random } = options
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'store')
  const effects = join(folder, 'effects')
  const prompts = join(folder, 'prompts')
  const ready = Array.from({ length: READY }, () => new Child(program))
  const next = () => {
    ready.push(new Child(program))
    return ready.shift() as Child
  }
  const orders = (session: string): RunOrders => {
    return { backend, path, session, memory, effects, prompts, toolMs: 6 }
  }
  const report = { kills: 0, runs: 0, mostOfOneRun: 0 }
  const begin = performance.now()

  try {
    const unkilled = next()
    unkilled.start(orders('unkilled'))
    assert.equal(await unkilled.ended(), 0, 'the unkilled run failed')
    const expected = await storedOf(options, path, 'unkilled')
    assert.equal(expected.items.length, ITEMS)

    while (report.kills < kills) {
      const id = `run ${report.runs++}`
      let ofThis = 0
      for (let over = false; !over; ) {
        const child = next()
        child.start(orders(id))
        if (report.kills < kills) {
          await child.printed(random.integer(0, MOST_LINES))
          await wait(random.next() * 8)
          child.kill()
        }
        const code = await child.ended()
        assert.ok(code === 0 || code === null, `${id} failed with code ${code}`)
        over = code === 0 || child.lines.includes('completed')
        if (over) continue
        report.kills++
        ofThis++
      }
      report.mostOfOneRun = Math.max(report.mostOfOneRun, ofThis)
      const { items, summary } = await storedOf(options, path, id)
      assert.equal(summary, undefined)
      assert.deepEqual(inOrder(items), inOrder(expected.items), `the memory of ${id}`)
    }
    const seconds = (performance.now() - begin) / 1_000
    return { ...report, ...countedOf(effects), ...checkPrompts(prompts), seconds }
  } finally {
    for (const child of ready) child.kill()
  }
}

/** A call ran at most once, and once more for each time that somebody let it run again. */
function countedOf(file: string) {
  const counts = new Map<string, { ran: number; reruns: number }>()
  for (const line of linesOf(file)) {
    const [what, ...call] = line.split(' ')
    const key = call.join(' ')
    const count = counts.get(key) ?? { ran: 0, reruns: 0 }
    counts.set(key, count)
    if (what === 'ran') count.ran++
    else count.reruns++
  }
  let [executions, reruns, twice] = [0, 0, 0]
  for (const [key, count] of counts) {
    assert.ok(count.ran >= 1, `${key} never ran`)
    assert.ok(count.ran <= 1 + count.reruns, `${key} ran ${count.ran} times, ${count.reruns} asked`)
    executions += count.ran
    reruns += count.reruns
    if (count.ran > 1) twice++
  }
  return { executions, reruns, twice }
}

function checkPrompts(file: string) {
  const lines = linesOf(file)
  for (const line of lines) assert.deepEqual(pairingFaults(JSON.parse(line)), [], line)
  return { prompts: lines.length }
}
