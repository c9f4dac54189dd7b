import type { AgentItem, ModelResult } from '@holdfast/core'
import { broken } from './broken-agent.ts'
import { type OwnCall, PlainLoop } from './plain-loop.ts'

const KNOWN: readonly unknown[] = ['message', 'function_call', 'function_call_output', 'reasoning']

/** Loops that go on where they must fail, or know better than what they are handed. */
export const brokenCarelessLoops = [
  broken(
    'an input that cannot be stored is passed over',
    'failing-input-write',
    class extends PlainLoop {
      override async begin() {
        await super.begin().catch(() => undefined)
      }
    },
  ),
  broken(
    'an answer that cannot be stored is passed over',
    'failing-answer-write',
    class extends PlainLoop {
      override async store(items: readonly AgentItem[], calls: readonly OwnCall[]) {
        await super.store(items, calls).catch(() => undefined)
      }
    },
  ),
  broken(
    'an answer without calls that cannot be stored is passed over',
    'failing-answer-write',
    class extends PlainLoop {
      override async store(items: readonly AgentItem[], calls: readonly OwnCall[]) {
        const stored = super.store(items, calls)
        await (calls.length > 0 ? stored : stored.catch(() => undefined))
      }
    },
  ),
  broken(
    'the calls of an answer that cannot be stored run before the run fails',
    'failing-answer-write',
    class extends PlainLoop {
      override async store(items: readonly AgentItem[], calls: readonly OwnCall[]) {
        try {
          await super.store(items, calls)
        } catch (error) {
          for (const call of calls) await this.outputOf(call)
          throw error
        }
      }
    },
  ),
  broken(
    'a tool that throws is run a second time',
    'tool-that-throws',
    class extends PlainLoop {
      readonly #failed = new Set<string>()
      override async outputOf(call: OwnCall): Promise<string> {
        const output = await super.outputOf(call)
        if (!output.startsWith('Error: ') || this.#failed.has(call.id)) return output
        this.#failed.add(call.id)
        return super.outputOf(call)
      }
    },
  ),
  broken(
    'items of unknown types are not stored',
    'unknown-items',
    class extends PlainLoop {
      override async store(items: readonly AgentItem[], calls: readonly OwnCall[]) {
        await super.store(
          items.filter(({ type }) => KNOWN.includes(type)),
          calls,
        )
      }
    },
  ),
  broken(
    'items of unknown types are stored and never shown',
    'unknown-items',
    class extends PlainLoop {
      override project(items: readonly AgentItem[]) {
        return super.project(items).filter(({ type }) => KNOWN.includes(type))
      }
    },
  ),
  broken(
    'tools are offered at the first step alone',
    'tools-each-step',
    class extends PlainLoop {
      override async ask(items: AgentItem[]): Promise<ModelResult> {
        if (this.texts.length === 0) return super.ask(items)
        return this.request.script.create({ model: 'any', items, tools: [] }, {})
      }
    },
  ),
  broken(
    'outputs are cut at 1,000 characters',
    'output-texts',
    class extends PlainLoop {
      override textOf(value: unknown) {
        return super.textOf(value).slice(0, 1_000)
      }
    },
  ),
  broken(
    'outputs are stored whole and shown cut at 1,000 characters',
    'output-texts',
    class extends PlainLoop {
      override project(items: readonly AgentItem[]) {
        return super
          .project(items)
          .map((item) =>
            typeof item['output'] === 'string'
              ? { ...item, output: item['output'].slice(0, 1_000) }
              : item,
          )
      }
    },
  ),
  broken(
    'the input is trimmed',
    'input-text',
    class extends PlainLoop {
      override async begin() {
        const { input } = this.request
        await this.memory.addUserInput(typeof input === 'string' ? input.trim() : input)
      }
    },
  ),
  broken(
    'arguments that look like numbers become numbers',
    'arguments-handed-on',
    class extends PlainLoop {
      override parse(args: string) {
        const numbered = Object.entries(super.parse(args)).map(([key, value]) => [
          key,
          typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
        ])
        return Object.fromEntries(numbered) as Record<string, unknown>
      }
    },
  ),
  broken(
    'tools are found whatever the case of their letters',
    'unknown-tool',
    class extends PlainLoop {
      override async outputOf(call: OwnCall) {
        const name = call.name.toLowerCase()
        const tool = this.request.tools.find((it) => it.name.toLowerCase() === name)
        return super.outputOf({ ...call, name: tool?.name ?? call.name })
      }
    },
  ),
  broken(
    'a run ends by itself behind 8 steps, with a text of its own',
    'many-steps',
    class extends PlainLoop {
      override async ask(items: AgentItem[]): Promise<ModelResult> {
        if (this.texts.length < 8) return super.ask(items)
        return { memoryItems: [], toolCalls: [], text: 'That was enough.' }
      }
    },
  ),
]
