import type { AgentItem, AgentMemory, ModelResult, ToolCall } from '@holdfast/core'
import type { AgentRequest } from '../../src/agent/index.ts'

export interface OwnCall {
  readonly id: string
  readonly name: string
  readonly args: string
}

export const isCall = ({ type }: AgentItem): boolean => type === 'function_call'
export const isOutput = ({ type }: AgentItem): boolean => type === 'function_call_output'
export const idOf = (item: AgentItem): string => String(item['call_id'])

/** A right loop in small steps: each broken one overrides the step that it gets wrong. */
export class PlainLoop {
  readonly request: AgentRequest
  texts: string[] = []

  constructor(request: AgentRequest) {
    this.request = request
  }

  get memory(): AgentMemory {
    return this.request.memory
  }

  async run(): Promise<{ text: string }> {
    await this.begin()
    for (let step = 0; ; step++) {
      const calls = await this.step(step)
      if (calls.length === 0) return { text: this.finalText() }
      await this.runCalls(calls)
    }
  }

  finalText(): string {
    return this.texts.at(-1) ?? ''
  }

  async begin(): Promise<void> {
    await this.memory.addUserInput(this.request.input)
  }

  /** One model call, stored; answers its calls. */
  async step(step: number): Promise<OwnCall[]> {
    const items = await this.read(step)
    const result = await this.ask(this.project(items))
    this.texts.push(result.text)
    const { items: filled, calls } = this.fill(result, items, step)
    await this.store(filled, calls)
    return calls
  }

  read(_step: number): Promise<AgentItem[]> {
    return this.memory.getItems()
  }

  ask(items: AgentItem[]): Promise<ModelResult> {
    const tools = this.request.tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }))
    return this.request.script.create({ model: 'any', items, tools }, {})
  }

  /** What a model accepts: outputs behind their calls, and neither without the other. */
  project(items: readonly AgentItem[]): AgentItem[] {
    const outputs = new Map(items.filter(isOutput).map((item) => [idOf(item), item]))
    const shown: AgentItem[] = []
    const answered = items.filter((item) => !isCall(item) || outputs.has(idOf(item)))
    for (const [index, item] of answered.entries()) {
      if (isOutput(item) || !this.goesOn(answered, index)) continue
      shown.push(item)
      const next = answered[index + 1]
      if (!isCall(item) || (next && isCall(next))) continue
      for (let at = shown.length - 1, batch = []; ; at--) {
        const call = shown[at]
        if (call && isCall(call)) batch.unshift(outputs.get(idOf(call)) as AgentItem)
        else {
          shown.push(...batch)
          break
        }
      }
    }
    return shown
  }

  /** False for reasoning whose call or message is gone. */
  goesOn(items: readonly AgentItem[], index: number): boolean {
    if (items[index]?.type !== 'reasoning') return true
    const next = items[index + 1]
    if (next?.type === 'reasoning') return this.goesOn(items, index + 1)
    return next !== undefined && (isCall(next) || next['role'] === 'assistant')
  }

  usedIds(items: readonly AgentItem[]): Set<string> {
    return new Set(items.filter((item) => item['call_id'] !== undefined).map(idOf))
  }

  fill(
    { memoryItems, toolCalls }: ModelResult,
    before: readonly AgentItem[],
    step: number,
  ): { items: AgentItem[]; calls: OwnCall[] } {
    const used = this.usedIds(before)
    const calls: OwnCall[] = []
    const items = memoryItems.map((item) => {
      const call = toolCalls[calls.length]
      if (!isCall(item) || !call) return item
      const id = this.idFor(call, used, `own_${step}_${calls.length}`)
      used.add(id)
      calls.push({ id, name: call.name, args: call.arguments })
      return { ...item, call_id: id }
    })
    return { items, calls }
  }

  idFor({ callId }: ToolCall, used: ReadonlySet<string>, base: string): string {
    if (callId?.trim() && !used.has(callId)) return callId
    let id = base
    for (let n = 2; used.has(id); n++) id = `${base}_${n}`
    return id
  }

  async store(items: readonly AgentItem[], _calls: readonly OwnCall[]): Promise<void> {
    await this.memory.addOutputItems(items)
  }

  /** All at once, each stored as it completes; the first error waits for the others. */
  async runCalls(calls: readonly OwnCall[]): Promise<void> {
    const done = await Promise.allSettled(calls.map((call) => this.runCall(call)))
    for (const it of done) if (it.status === 'rejected') throw it.reason
  }

  async runCall(call: OwnCall): Promise<void> {
    await this.memory.addToolOutput(call.id, await this.outputOf(call))
  }

  async outputOf({ name, args }: OwnCall): Promise<string> {
    const tool = this.request.tools.find((it) => it.name === name)
    if (!tool) return this.unknown(name)
    try {
      return this.textOf(await tool.execute(this.parse(args)))
    } catch (error) {
      return this.failed(error)
    }
  }

  unknown(name: string): string {
    return `There is no tool ${name}.`
  }

  failed(error: unknown): string {
    return `Error: ${error instanceof Error ? error.message : String(error)}`
  }

  parse(args: string): Record<string, unknown> {
    const value: unknown = JSON.parse(args)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>
    }
    throw new Error('arguments must be an object')
  }

  textOf(value: unknown): string {
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  }
}
