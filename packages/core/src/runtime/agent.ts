import type { AgentMemory } from '../contracts/agent-memory.ts'
import type { AgentInput, AgentResult, RunOptions } from '../contracts/agent-runtime.ts'
import type { ModelClient, ModelSettings } from '../contracts/model-client.ts'
import { HoldfastError, invalid, knownOptions, show } from '../errors.ts'
import { checkId } from '../ids.ts'
import { cloneJson, isRecord } from '../json.ts'
import { InMemoryAgentMemory } from '../memory/in-memory-agent-memory.ts'
import { AgentSession } from '../sessions/agent-session.ts'
import { checkMaxSteps, checkMemory, ensure, isOptional } from './check.ts'
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
    const memory = checkMemory(await supply(id))
    claimMemory(memory, id)
    return new AgentSession(id, memory, runtime)
  }

  return {
    async run(input, options = {}) {
      knownOptions(options, ['memory', 'signal', 'maxSteps', 'context'])
      const { memory = new InMemoryAgentMemory() } = options
      return runtime.run(checkMemory(memory), input, options)
    },
    session,
    async newSession(options = {}) {
      knownOptions(options, ['id'])
      const { id = crypto.randomUUID() } = options
      const created = await session(id)
      if ((await created.memory.getItems()).length > 0) {
        throw new HoldfastError(
          'CONFLICT',
          `Session ${show(id)} exists already; go on with agent.session(id).`,
        )
      }
      return created
    },
  }
}

function configOf(options: AgentOptions): RuntimeConfig {
  knownOptions(options, [
    'modelClient',
    'model',
    'instructions',
    'tools',
    'memorySupplier',
    'maxSteps',
    'settings',
  ])
  const { modelClient, model, instructions, tools, memorySupplier, maxSteps, settings } = options
  const hasCreate = typeof modelClient?.create === 'function'
  ensure(hasCreate, 'modelClient', 'an object with create', modelClient)
  ensure(typeof model === 'string' && model.trim(), 'model', 'a non-blank string', model)
  ensure(isOptional(instructions, 'string'), 'instructions', 'a string', instructions)
  ensure(isOptional(memorySupplier, 'function'), 'memorySupplier', 'a function', memorySupplier)
  ensure(settings === undefined || isRecord(settings), 'settings', 'an object', settings)
  checkMaxSteps(maxSteps)
  const byName = toolsByName(tools)
  const definitions = [...byName.values()].map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }))
  return {
    modelClient,
    // Copying drops what is `undefined`, so a prompt has no instructions where the agent has none.
    prompt: cloneJson(
      { model, instructions, tools: definitions, settings },
      'options',
    ) as RuntimeConfig['prompt'],
    tools: byName,
    maxSteps: maxSteps ?? 50,
  }
}

function toolsByName(tools: readonly Tool[] = []): Map<string, Tool> {
  ensure(Array.isArray(tools), 'tools', 'an array', tools)
  const byName = new Map<string, Tool>()
  for (const made of tools as readonly Tool[]) {
    const { name, parse, execute } = Object(made)
    const ok = [typeof name, typeof parse, typeof execute].join() === 'string,function,function'
    ensure(ok, `tools[${byName.size}]`, 'made by tool()', made)
    if (byName.has(made.name)) throw invalid(`Two tools are named ${show(made.name)}.`)
    byName.set(made.name, made)
  }
  return byName
}
