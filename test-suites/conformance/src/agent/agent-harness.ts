import type {
  Agent,
  AgentItem,
  AgentMemory,
  AgentOptions,
  JsonSchema,
  ModelClient,
} from '@holdfast/core'
import type { ConformanceCase } from '../case.ts'

/** A tool as the suite hands it to a loop. */
export interface AgentTestTool {
  /** The name that the scripted model calls it by. */
  readonly name: string
  /** For a model; the script does not read it. */
  readonly description: string
  /** JSON Schema of the arguments, an object. */
  readonly parameters: JsonSchema
  /** `args`: the parsed arguments. What it answers, or throws, is the call's output. */
  execute(args: Readonly<Record<string, unknown>>): unknown
}

/** One run that the suite asks for. */
export interface AgentRequest {
  /** The state source: the loop keeps no history beside it. */
  readonly memory: AgentMemory
  /** What the model may call; `[]` for none. */
  readonly tools: readonly AgentTestTool[]
  /** The model: `script.create({ model, items, tools }, {})` answers the next turn, or rejects. */
  readonly script: ModelClient
  /** `null`: go on without new input. */
  readonly input: string | readonly AgentItem[] | null
}

/** What an agent case works on. */
export interface AgentHarness {
  /** Runs the loop until the model makes no more calls; rejects if the model fails. */
  run(request: AgentRequest): Promise<{ readonly text: string }>
  /** For agents of the shape that core's `createAgent` makes: sessions, interruption, streams and limits. */
  createAgent?(options: AgentOptions): Agent
}

/** A rule of the loop, or of agents with sessions. */
export type AgentCase = ConformanceCase<AgentHarness>

/** A case about the loop alone; `id` gets its `agent-` in front. */
export const loopCase = (
  id: string,
  name: string,
  run: (loop: AgentHarness['run']) => Promise<void>,
): AgentCase => ({
  id: `agent-${id}`,
  name,
  run: (harness) => run((request) => harness.run(request)),
})

export type MakeAgent = (options: AgentOptions) => Agent

/** A case about agents with sessions. */
export const sessionCase = (
  id: string,
  name: string,
  run: (createAgent: MakeAgent) => Promise<void>,
): AgentCase => ({
  id: `agent-${id}`,
  name,
  applies: ({ createAgent }) =>
    createAgent !== undefined || 'the harness has no createAgent: a loop without sessions',
  async run(harness) {
    await run((options) => {
      if (!harness.createAgent) throw new Error('the harness has no createAgent')
      return harness.createAgent(options)
    })
  },
})
