import type { AgentItem, ModelResult } from '@holdfast/core'
import { broken } from './broken-agent.ts'
import { isOutput, type OwnCall, PlainLoop } from './plain-loop.ts'

const message = (role: string, text: string): AgentItem => ({
  type: 'message',
  role,
  content: [{ type: 'input_text', text }],
})

export const brokenLoopPrompts = [
  broken(
    'a hint is put behind every prompt',
    'prompt-is-memory',
    class extends PlainLoop {
      override project(items: readonly AgentItem[]) {
        return [...super.project(items), message('user', 'Go on.')]
      }
    },
  ),
  broken(
    'a prompt shows the last five items',
    'prompt-is-memory',
    class extends PlainLoop {
      override project(items: readonly AgentItem[]) {
        return super.project(items.slice(-5))
      }
    },
  ),
  broken(
    'a run keeps a history of its own and asks memory once',
    'asks-memory-each-step',
    class extends PlainLoop {
      #history: AgentItem[] = []
      override async read(step: number) {
        if (step === 0) this.#history = await super.read(step)
        return this.#history.map((item) => ({ ...item }))
      }
      override async store(items: readonly AgentItem[], calls: readonly OwnCall[]) {
        this.#history.push(...items)
        await super.store(items, calls)
      }
      override async outputOf(call: OwnCall) {
        const output = await super.outputOf(call)
        this.#history.push({ type: 'function_call_output', call_id: call.id, output })
        return output
      }
    },
  ),
  broken(
    'the summary is shown behind the items',
    'summary-first',
    class extends PlainLoop {
      override project(items: readonly AgentItem[]) {
        const [first, ...rest] = items
        return super.project(first?.['role'] === 'system' ? [...rest, first] : items)
      }
    },
  ),
  broken(
    'the summary is shown once more by the loop',
    'summary-first',
    class extends PlainLoop {
      override async read(step: number) {
        const summary = await this.memory.getSummary()
        const items = await super.read(step)
        return summary === undefined ? items : [message('system', summary), ...items]
      }
    },
  ),
  broken(
    'the summary is shown at the first step alone',
    'summary-first',
    class extends PlainLoop {
      override async read(step: number) {
        const items = await super.read(step)
        return step === 0 ? items : items.filter(({ role }) => role !== 'system')
      }
    },
  ),
  broken(
    'outputs are shown whether or not their call is there',
    'no-orphan-output',
    class extends PlainLoop {
      override project(items: readonly AgentItem[]) {
        const calls = new Set(this.usedIds(super.project(items)))
        const lost = items.filter((item) => isOutput(item) && !calls.has(String(item['call_id'])))
        return [...lost, ...super.project(items)]
      }
    },
  ),
  broken(
    'reasoning is shown whatever follows it',
    'no-orphan-output',
    class extends PlainLoop {
      override goesOn() {
        return true
      }
    },
  ),
  broken(
    'calls are shown whether or not they have an output',
    'no-orphan-call',
    class extends PlainLoop {
      override project(items: readonly AgentItem[]) {
        return [...items]
      }
    },
  ),
  broken(
    'outputs are left out at the very front alone',
    'every-cut',
    class extends PlainLoop {
      override project(items: readonly AgentItem[]) {
        const from = items.findIndex((item) => !isOutput(item))
        return from < 0 ? [] : items.slice(from)
      }
    },
  ),
  broken(
    'a prompt is repaired at the first step alone',
    'window-beside-the-loop',
    class extends PlainLoop {
      #step = 0
      override project(items: readonly AgentItem[]) {
        return this.#step++ === 0 ? super.project(items) : [...items]
      }
    },
  ),
  broken(
    'what was repaired for the prompt is stored',
    'projection-changes-nothing',
    class extends PlainLoop {
      override async read(step: number) {
        const items = await super.read(step)
        const repaired = this.project(items)
        if (JSON.stringify(repaired) !== JSON.stringify(items)) {
          await this.memory.clear()
          await this.memory.addOutputItems(repaired)
        }
        return repaired
      }
    },
  ),
  broken(
    'the prompt is the history that the loop goes on with',
    'prompt-is-the-models',
    class extends PlainLoop {
      #shown: AgentItem[] = []
      override project(items: readonly AgentItem[]) {
        if (this.texts.length === 0) this.#shown = super.project(items)
        else this.#shown.push(...super.project(items).slice(1))
        return this.#shown
      }
    },
  ),
  broken(
    'the input is taken back where the model fails',
    'input-kept',
    class extends PlainLoop {
      override async ask(items: AgentItem[]): Promise<ModelResult> {
        try {
          return await super.ask(items)
        } catch (error) {
          if (this.texts.length === 0) await this.memory.clear()
          throw error
        }
      }
    },
  ),
  broken(
    'a failing model is taken for an empty answer',
    'input-kept',
    class extends PlainLoop {
      override async ask(items: AgentItem[]): Promise<ModelResult> {
        return super.ask(items).catch(() => ({ memoryItems: [], toolCalls: [], text: '' }))
      }
    },
  ),
  broken(
    'outputs are stored with the next answer',
    'results-kept',
    class extends PlainLoop {
      #outputs: [string, string][] = []
      override async runCall(call: OwnCall) {
        this.#outputs.push([call.id, await this.outputOf(call)])
      }
      override async read(step: number) {
        const items = await super.read(step)
        return [
          ...items,
          ...this.#outputs.map(([id, output]) => ({
            type: 'function_call_output',
            call_id: id,
            output,
          })),
        ]
      }
      override async store(items: readonly AgentItem[], calls: readonly OwnCall[]) {
        for (const [id, output] of this.#outputs.splice(0))
          await this.memory.addToolOutput(id, output)
        await super.store(items, calls)
      }
    },
  ),
  broken(
    'a failed step is rolled back to the input',
    'results-kept',
    class extends PlainLoop {
      override async ask(items: AgentItem[]): Promise<ModelResult> {
        try {
          return await super.ask(items)
        } catch (error) {
          await this.memory.clear()
          await this.memory.addUserInput(this.request.input)
          throw error
        }
      }
    },
  ),
  broken(
    'going on without input stores the last input again',
    'retry-doubles-nothing',
    class extends PlainLoop {
      override async begin() {
        const last = (await this.memory.getItems()).findLast(({ role }) => role === 'user')
        await this.memory.addUserInput(this.request.input ?? last)
      }
    },
  ),
  broken(
    'going on runs the last calls again',
    'retry-doubles-nothing',
    class extends PlainLoop {
      override async begin() {
        await super.begin()
        const last = (await this.memory.getItems()).findLast(({ type }) => type === 'function_call')
        if (this.request.input !== null || !last) return
        await this.outputOf({
          id: String(last['call_id']),
          name: String(last['name']),
          args: String(last['arguments']),
        })
      }
    },
  ),
  broken(
    'a run stores the history that it was shown once more',
    'runs-in-sequence',
    class extends PlainLoop {
      override async begin() {
        const before = await this.memory.getItems()
        await super.begin()
        if (before.length > 4) await this.memory.addOutputItems(before)
      }
    },
  ),
  broken(
    'an output that cannot be stored is passed over',
    'failing-write',
    class extends PlainLoop {
      override async runCall(call: OwnCall) {
        await super.runCall(call).catch(() => undefined)
      }
    },
  ),
  broken(
    'the first output that cannot be stored ends the run at once',
    'failing-write',
    class extends PlainLoop {
      override async runCalls(calls: readonly OwnCall[]) {
        await Promise.all(calls.map((call) => this.runCall(call)))
      }
    },
  ),
]
