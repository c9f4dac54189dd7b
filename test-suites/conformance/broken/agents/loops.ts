import type { AgentItem, ModelResult, ToolCall } from '@holdfast/core'
import { broken } from './broken-agent.ts'
import { isCall, type OwnCall, PlainLoop } from './plain-loop.ts'

export const brokenLoops = [
  broken(
    'the texts of all answers are put together',
    'answers-the-last-text',
    class extends PlainLoop {
      override finalText() {
        return this.texts.join('')
      }
    },
  ),
  broken(
    'the last answer is not stored',
    'answers-the-last-text',
    class extends PlainLoop {
      override async store(items: readonly AgentItem[], calls: readonly OwnCall[]) {
        if (calls.length > 0) await super.store(items, calls)
      }
    },
  ),
  broken(
    'nobody waits until the input is stored',
    'input-before-model',
    class extends PlainLoop {
      override async begin() {
        void super.begin()
      }
    },
  ),
  broken(
    'the input is stored once the model has answered',
    'input-before-model',
    class extends PlainLoop {
      override async begin() {}
      override async read(step: number) {
        const items = await super.read(step)
        const text = String(this.request.input)
        const content = [{ type: 'input_text', text }]
        return step === 0 ? [...items, { type: 'message', role: 'user', content }] : items
      }
      override async ask(items: AgentItem[]) {
        const result = await super.ask(items)
        if (this.texts.length === 0) await this.memory.addUserInput(this.request.input)
        return result
      }
    },
  ),
  broken(
    'input items are stored as text',
    'input-items',
    class extends PlainLoop {
      override async begin() {
        const { input } = this.request
        const text = typeof input === 'string' || input === null ? input : JSON.stringify(input)
        await this.memory.addUserInput(text)
      }
    },
  ),
  broken(
    'no input becomes an empty one',
    'input-items',
    class extends PlainLoop {
      override async begin() {
        await this.memory.addUserInput(this.request.input ?? '')
      }
    },
  ),
  broken(
    'an answer is stored item by item',
    'answer-stored-whole',
    class extends PlainLoop {
      override async store(items: readonly AgentItem[]) {
        for (const item of items) await this.memory.addOutputItems([item])
      }
    },
  ),
  broken(
    'reasoning is not stored',
    'answer-stored-whole',
    class extends PlainLoop {
      override async store(items: readonly AgentItem[]) {
        await this.memory.addOutputItems(items.filter(({ type }) => type !== 'reasoning'))
      }
    },
  ),
  broken(
    'tools start while their calls are being stored',
    'call-before-tool',
    class extends PlainLoop {
      #storing: Promise<void> | undefined
      override async store(items: readonly AgentItem[], calls: readonly OwnCall[]) {
        this.#storing = super.store(items, calls)
        if (calls.length === 0) await this.#storing
      }
      override async outputOf(call: OwnCall) {
        const output = await super.outputOf(call)
        await this.#storing
        return output
      }
    },
  ),
  broken(
    'nobody waits until the outputs are stored',
    'outputs-before-model',
    class extends PlainLoop {
      override async runCall(call: OwnCall) {
        const output = await this.outputOf(call)
        void this.memory.addToolOutput(call.id, output)
      }
    },
  ),
  broken(
    'outputs are stored when all of them are there',
    'stored-as-it-completes',
    class extends PlainLoop {
      override async runCalls(calls: readonly OwnCall[]) {
        const outputs = await Promise.all(calls.map((call) => this.outputOf(call)))
        for (const [index, { id }] of calls.entries()) {
          await this.memory.addToolOutput(id, outputs[index] ?? '')
        }
      }
    },
  ),
  broken(
    'calls run one after the other',
    'parallel-tools',
    class extends PlainLoop {
      override async runCalls(calls: readonly OwnCall[]) {
        for (const call of calls) await this.runCall(call)
      }
    },
  ),
  broken(
    'a call that is slow is started again',
    'parallel-tools',
    class extends PlainLoop {
      override async outputOf(call: OwnCall) {
        const first = super.outputOf(call)
        if (call.name === 'c') await super.outputOf(call)
        return first
      }
    },
  ),
  broken(
    'outputs are shown in the order in which they came',
    'outputs-in-call-order',
    class extends PlainLoop {
      override project(items: readonly AgentItem[]) {
        return [...items]
      }
    },
  ),
  broken(
    'every call gets a new id',
    'ids-kept',
    class extends PlainLoop {
      override idFor(_: ToolCall, used: ReadonlySet<string>, base: string) {
        return super.idFor({ name: '', arguments: '' }, used, base)
      }
    },
  ),
  broken(
    'a missing id becomes the text undefined',
    'ids-missing',
    class extends PlainLoop {
      override idFor({ callId }: ToolCall) {
        return callId?.trim() ? callId : 'undefined'
      }
    },
  ),
  broken(
    'a call without an id is left out',
    'ids-missing',
    class extends PlainLoop {
      override fill(result: ModelResult, before: readonly AgentItem[], step: number) {
        const toolCalls = result.toolCalls.filter(({ callId }) => callId?.trim())
        const memoryItems = result.memoryItems.filter(
          (item) => !isCall(item) || String(item['call_id'] ?? '').trim(),
        )
        return super.fill({ ...result, toolCalls, memoryItems }, before, step)
      }
    },
  ),
  broken(
    'ids are compared with memory alone, not within a batch',
    'ids-repeated-in-a-batch',
    class extends PlainLoop {
      override fill(result: ModelResult, before: readonly AgentItem[], step: number) {
        const used = this.usedIds(before)
        const calls = result.toolCalls.map((call, index) => ({
          id: this.idFor(call, used, `own_${step}_${index}`),
          name: call.name,
          args: call.arguments,
        }))
        let at = 0
        const items = result.memoryItems.map((item) =>
          isCall(item) ? { ...item, call_id: calls[at++]?.id } : item,
        )
        return { items, calls }
      }
    },
  ),
  broken(
    'ids are compared within a batch alone, not with memory',
    'ids-repeated-each-turn',
    class extends PlainLoop {
      override usedIds() {
        return new Set<string>()
      }
    },
  ),
  broken(
    'ids are compared with those of the same run alone',
    'ids-repeated-each-turn',
    class extends PlainLoop {
      #before: Set<string> | undefined
      override usedIds(items: readonly AgentItem[]) {
        const used = super.usedIds(items)
        this.#before ??= new Set(used)
        for (const id of this.#before) used.delete(id)
        return used
      }
    },
  ),
  broken(
    'arguments lose what is not ASCII',
    'arguments-handed-on',
    class extends PlainLoop {
      override parse(args: string) {
        return super.parse(args.replace(/[^\u0020-\u007f]/g, '?'))
      }
    },
  ),
  broken(
    'arguments that cannot be parsed end the run',
    'bad-arguments',
    class extends PlainLoop {
      override failed(error: unknown): string {
        if (error instanceof SyntaxError) throw error
        return super.failed(error)
      }
    },
  ),
  broken(
    'a tool runs without arguments where they are no object',
    'bad-arguments',
    class extends PlainLoop {
      override parse(args: string) {
        const value: unknown = JSON.parse(args)
        return typeof value === 'object' ? ((value ?? {}) as Record<string, unknown>) : {}
      }
    },
  ),
  broken(
    'a call of an unknown tool ends the run',
    'unknown-tool',
    class extends PlainLoop {
      override unknown(name: string): string {
        throw new Error(`no tool ${name}`)
      }
    },
  ),
  broken(
    'a call of an unknown tool is passed over',
    'unknown-tool',
    class extends PlainLoop {
      override async runCall(call: OwnCall) {
        if (this.request.tools.some(({ name }) => name === call.name)) await super.runCall(call)
      }
    },
  ),
  broken(
    'what a tool throws ends the run',
    'tool-that-throws',
    class extends PlainLoop {
      override failed(error: unknown): string {
        throw error
      }
    },
  ),
  broken(
    'what a tool throws is hidden from the model',
    'tool-that-throws',
    class extends PlainLoop {
      override failed() {
        return 'The tool failed.'
      }
    },
  ),
  broken(
    'an output is made text as JavaScript does',
    'output-texts',
    class extends PlainLoop {
      override textOf(value: unknown) {
        return String(value)
      }
    },
  ),
  broken(
    'a text is stored as JSON',
    'output-texts',
    class extends PlainLoop {
      override textOf(value: unknown) {
        return JSON.stringify(value) ?? ''
      }
    },
  ),
]
