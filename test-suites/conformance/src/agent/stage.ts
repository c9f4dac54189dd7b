import assert from 'node:assert/strict'
import type { AgentItem } from '@holdfast/core'
import type { AgentHarness, AgentTestTool } from './agent-harness.ts'
import { JournalMemory } from './journal-memory.ts'
import { Script, type ScriptStep } from './script.ts'

const ANY_OBJECT = { type: 'object', properties: {}, additionalProperties: true } as const

export const testTool = (
  name: string,
  execute: AgentTestTool['execute'] = () => `result of ${name}`,
): AgentTestTool => ({ name, description: `The tool ${name}.`, parameters: ANY_OBJECT, execute })

/** One memory, one script and the tools of a case, with a journal of what happened in which order. */
export class Stage {
  readonly journal: string[] = []
  readonly memory = new JournalMemory(this.journal)
  readonly script: Script
  readonly tools: readonly AgentTestTool[]
  readonly #run: AgentHarness['run']

  constructor(
    run: AgentHarness['run'],
    steps: readonly ScriptStep[],
    tools: readonly AgentTestTool[] = [],
  ) {
    this.#run = run
    this.script = new Script(steps, (count) => this.journal.push(`model ${count}`))
    this.tools = tools.map((it) => ({
      ...it,
      execute: async (args) => {
        this.journal.push(`start ${it.name}`)
        try {
          return await it.execute(args)
        } finally {
          this.journal.push(`end ${it.name}`)
        }
      },
    }))
  }

  run(input: string | readonly AgentItem[] | null): Promise<{ readonly text: string }> {
    return this.#run({ memory: this.memory, tools: this.tools, script: this.script, input })
  }

  /** Runs what must fail; answers the error. */
  async fails(input: string | readonly AgentItem[] | null): Promise<unknown> {
    try {
      await this.run(input)
    } catch (error) {
      return error
    }
    assert.fail('the run resolved, though the model had failed')
  }

  /** Asserts that `earlier` happened before `later`, both once. */
  before(earlier: string, later: string): void {
    const [a, b] = [this.#place(earlier), this.#place(later)]
    assert.ok(a < b, `"${earlier}" came behind "${later}": ${this.journal.join(', ')}`)
  }

  #place(what: string): number {
    const places = this.journal.flatMap((it, index) => (it.includes(what) ? [index] : []))
    assert.equal(
      places.length,
      1,
      `"${what}" happened ${places.length} times: ${this.journal.join(', ')}`,
    )
    return places[0] ?? -1
  }

  count(what: string): number {
    return this.journal.filter((it) => it === what).length
  }
}

/** Resolves once `holds`; false after `ms`. */
export async function waitFor(
  holds: () => boolean | Promise<boolean>,
  ms = 1_500,
): Promise<boolean> {
  const deadline = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > deadline) return false
    await new Promise((done) => setTimeout(done, 2))
  }
  return true
}

const CALLS = 'function_call'
const OUTPUTS = 'function_call_output'

/** What no model accepts in `items`, in words; nothing where all is well. */
export function faultsOf(items: readonly AgentItem[]): string[] {
  const faults: string[] = []
  const open = new Set<unknown>()
  const seen = new Set<unknown>()
  for (const [index, item] of items.entries()) {
    const id = item['call_id']
    if (item.type === CALLS) {
      if (seen.has(id)) faults.push(`two calls ${String(id)}`)
      seen.add(id)
      open.add(id)
    } else if (item.type === OUTPUTS) {
      if (!open.delete(id)) faults.push(`an output without its call: ${String(id)}`)
    } else if (item.type === 'reasoning') {
      const next = items[index + 1]
      const goesOn =
        next?.type === CALLS || next?.type === 'reasoning' || next?.['role'] === 'assistant'
      if (!goesOn) faults.push(`reasoning parted from what follows, before ${next?.type}`)
    }
  }
  for (const id of open) faults.push(`a call without its output: ${String(id)}`)
  return faults
}

export function assertPaired(items: readonly AgentItem[], what = 'the prompt'): void {
  assert.deepEqual(faultsOf(items), [], what)
}

export const callsIn = (items: readonly AgentItem[]) => items.filter(({ type }) => type === CALLS)
export const outputsIn = (items: readonly AgentItem[]) =>
  items.filter(({ type }) => type === OUTPUTS)

/** The output of each call, by call id; fails where one has not exactly one. */
export function outputsById(items: readonly AgentItem[]): Map<string, unknown> {
  const byId = new Map<string, unknown>()
  for (const { call_id: id, output } of outputsIn(items)) {
    assert.ok(!byId.has(String(id)), `two outputs for ${String(id)}`)
    byId.set(String(id), output)
  }
  const ids = callsIn(items).map(({ call_id: id }) => String(id))
  assert.equal(new Set(ids).size, ids.length, `call ids are not unique: ${ids.join(', ')}`)
  assert.deepEqual([...byId.keys()].sort(), [...ids].sort(), 'outputs and calls do not match')
  return byId
}
