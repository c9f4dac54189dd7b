import type { AgentMemory } from '../contracts/agent-memory.ts'
import type { AgentInput, AgentResult, RunOptions } from '../contracts/agent-runtime.ts'
import type { ModelClient, ModelSettings } from '../contracts/model-client.ts'
import { HoldfastError, invalid, show } from '../errors.ts'
import { checkId } from '../ids.ts'
import { cloneJson, isRecord } from '../json.ts'
import { InMemoryAgentMemory } from '../memory/in-memory-agent-memory.ts'
import { AgentSession } from '../sessions/agent-session.ts'
import { checkMaxSteps, checkMemory, checkRunOptions } from './check.ts'
import { type RuntimeConfig, reactRuntime } from './react-runtime.ts'
import { claimMemory } from './session-owners.ts'
import type { Tool } from './tools.ts'

export interface AgentOptions {
  readonly modelClient: ModelClient
  /** The model's name, handed to the client. */
  readonly model: string
  /** Handed to the client with every call; never stored. */
  readonly instructions?: string
  /** Made by `tool()`, each with a name of its own. */
  readonly tools?: readonly Tool[]
  /**
   * The memory of a session, asked once per session object; must be another one for another id
   * (`SHARED_MEMORY`). Default: an empty in-memory one, so that `(id) => storage.memory(id)` is what
   * makes sessions resumable.
   */
  readonly memorySupplier?: (sessionId: string) => AgentMemory | Promise<AgentMemory>
  /** Most model calls of one run. Default 50. */
  readonly maxSteps?: number
  /** Handed to the client with every call, unread. */
  readonly settings?: ModelSettings
}

export interface AgentRunOptions extends RunOptions {
  /** Default: a fresh in-memory one. The supplier serves sessions only. */
  readonly memory?: AgentMemory
}

export interface Agent {
  /**
   * A one-off run over `memory`. Errors as of `AgentSession.run`; `CONFLICT` also while another run in
   * this process uses that memory.
   */
  run(input: AgentInput, options?: AgentRunOptions): Promise<AgentResult>
  /**
   * The session of that id; the id names the memory. `INVALID_ARGUMENT`: a bad id, or the supplier
   * returned no `AgentMemory`. `SHARED_MEMORY`: it returned that of another id.
   */
  session(id: string): Promise<AgentSession>
  /** As `session`, with a random id by default; `CONFLICT` if that id's memory already holds something. */
  newSession(options?: { readonly id?: string }): Promise<AgentSession>
}

/** Makes an agent. Every option is checked here: `INVALID_ARGUMENT` names the wrong one. */
export function createAgent(options: AgentOptions): Agent {
  const runtime = reactRuntime(configOf(options))
  const supply = options.memorySupplier ?? (() => new InMemoryAgentMemory())

  const session = async (id: string) => {
    checkId(id, 'The session id')
    const memory = checkMemory(await supply(id), 'What memorySupplier returns')
    claimMemory(memory, id)
    return new AgentSession(id, memory, runtime)
  }

  return {
    async run(input, options = {}) {
      checkRunOptions(options)
      const { memory = new InMemoryAgentMemory() } = options
      return runtime.run(checkMemory(memory, 'memory'), input, options)
    },
    session,
    async newSession(options = {}) {
      if (!isRecord(options)) throw invalid(`newSession takes options, not ${show(options)}.`)
      const created = await session(options.id === undefined ? crypto.randomUUID() : options.id)
      if ((await created.memory.getItems()).length > 0) {
        throw new HoldfastError(
          'CONFLICT',
          `Session ${show(created.id)} already exists; use agent.session(id) to go on with it.`,
        )
      }
      return created
    },
  }
}

function configOf(options: AgentOptions): RuntimeConfig {
  if (!isRecord(options)) throw invalid(`createAgent takes options, not ${show(options)}.`)
  const { modelClient, model, instructions, tools = [], memorySupplier, settings } = options
  if (typeof modelClient?.create !== 'function') {
    throw invalid(`modelClient must have a create function; got ${show(modelClient)}.`)
  }
  if (typeof model !== 'string' || model.trim() === '') {
    throw invalid(`model must be a non-blank string, not ${show(model)}.`)
  }
  if (instructions !== undefined && typeof instructions !== 'string') {
    throw invalid(`instructions must be a string, not ${show(instructions)}.`)
  }
  if (memorySupplier !== undefined && typeof memorySupplier !== 'function') {
    throw invalid(`memorySupplier must be a function, not ${show(memorySupplier)}.`)
  }
  if (settings !== undefined && !isRecord(settings)) {
    throw invalid(`settings must be an object, not ${show(settings)}.`)
  }
  checkMaxSteps(options.maxSteps)
  return {
    modelClient,
    model,
    instructions,
    settings: settings && cloneJson(settings, 'settings'),
    tools: toolsByName(tools),
    maxSteps: options.maxSteps ?? 50,
  }
}

function toolsByName(tools: readonly Tool[]): Map<string, Tool> {
  if (!Array.isArray(tools)) throw invalid(`tools must be an array, not ${show(tools)}.`)
  const byName = new Map<string, Tool>()
  for (const tool of tools as readonly Tool[]) {
    if (typeof tool?.parse !== 'function' || typeof tool.execute !== 'function') {
      throw invalid(`tools[${byName.size}] must be made by tool(), not ${show(tool)}.`)
    }
    if (byName.has(tool.name)) throw invalid(`Two tools are named ${show(tool.name)}.`)
    byName.set(tool.name, tool)
  }
  return byName
}
