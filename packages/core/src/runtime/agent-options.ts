import { checkBudget } from '../compaction/check-budget.ts'
import { DefaultContextProjector } from '../compaction/default-context-projector.ts'
import type { AgentMemory } from '../contracts/agent-memory.ts'
import type { RunOptions } from '../contracts/agent-runtime.ts'
import type { AgentSessionStore } from '../contracts/agent-session-store.ts'
import type { CompactPolicy, ContextBudget, ContextProjector } from '../contracts/compaction.ts'
import type { AgentEventListener, Redact } from '../contracts/events.ts'
import type { JsonSchema, ModelClient, ModelSettings } from '../contracts/model-client.ts'
import { checkMethods, invalid, knownOptions, show } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'
import { AUTOSAVE_MODES, type AutosaveMode } from '../sessions/autosave.ts'
import { checkLimits, ensure, isOptional, type LIMITS } from './check.ts'
import { type AgentHooks, HOOKS } from './hooks.ts'
import { compileParameters, type StandardParameters } from './parameters.ts'
import type { Instructions, RuntimeConfig } from './run.ts'
import type { Tool } from './tools.ts'

/** What `createAgent` takes. The limits of a run hold for every run that gives none of its own. */
export interface AgentOptions extends Pick<RunOptions, (typeof LIMITS)[number]> {
  /** The model: a client of `@holdfast/openai` or `@holdfast/ai-sdk`, or one’s own. */
  readonly modelClient: ModelClient
  /** The model's name, handed to the client. */
  readonly model: string
  /** Handed to the client with every call, or made for each; never stored. */
  readonly instructions?: Instructions | undefined
  /** Made by `tool()`, each with a name of its own. */
  readonly tools?: readonly Tool[] | undefined
  /**
   * The memory of a session, asked once per session object; must be another one for another id
   * (`SHARED_MEMORY`). Default: an empty in-memory one. `(id) => storage.memory(id)` makes memories outlive
   * the process.
   */
  readonly memorySupplier?: ((sessionId: string) => AgentMemory | Promise<AgentMemory>) | undefined
  /** Where sessions are saved: `storage.sessions()`, say. Default: nowhere. */
  readonly sessionStore?: AgentSessionStore | undefined
  /**
   * When sessions are saved without being asked. `off`: never. `run`, `step`: in the background after each run
   * or step; errors come at `session.flush()` and as events. `sync`: before the run goes on, after the user's
   * input, before tools start and after outputs; what an in-memory memory needs to survive a kill. Whatever
   * the mode but `off`, an answer to a pending call, and that it begins to run, is saved first. Default `step`.
   */
  readonly autosave?: AutosaveMode | undefined
  /** Takes secrets out of what is about to be stored. */
  readonly redact?: Redact | undefined
  /** Told of every event of this agent's runs; copied into each session. */
  readonly listeners?: readonly AgentEventListener[] | undefined
  /** Asked at the start of each step whether to compact the memory. Default: never. */
  readonly compactPolicy?: CompactPolicy | undefined
  /** Makes each prompt out of what memory holds. Default: `new DefaultContextProjector()`. */
  readonly projector?: ContextProjector | undefined
  /** What one prompt may show. Default: everything. */
  readonly budget?: ContextBudget | undefined
  /** Look at, change or block prompts, model calls and tool calls; one after the other. */
  readonly hooks?: AgentHooks | readonly AgentHooks[] | undefined
  /** The schema of the final answer; `result.output` is the parsed answer. An answer that does not fit is `MODEL_FAILED`. */
  readonly output?: JsonSchema | StandardParameters | undefined
  /** How often a model call is made again where that may help (429, 5xx, a broken connection). Default 2. */
  readonly modelRetries?: number | undefined
  /** Handed to the client with every call, unread. */
  readonly settings?: ModelSettings | undefined
}

const OPTIONS = [
  'modelClient',
  'model',
  'instructions',
  'tools',
  'memorySupplier',
  'sessionStore',
  'autosave',
  'redact',
  'listeners',
  'compactPolicy',
  'projector',
  'budget',
  'hooks',
  'output',
  'modelRetries',
  'settings',
  'maxSteps',
  'timeoutMs',
  'maxTokens',
] as const

/** Checks every option and makes of them what a run needs. */
export function configOf(options: AgentOptions): RuntimeConfig {
  knownOptions(options, OPTIONS)
  const { modelClient, model, instructions, settings, output, modelRetries = 2 } = options
  const { budget = {}, projector = new DefaultContextProjector(), compactPolicy } = options
  checkMethods('modelClient', modelClient, ['create'])
  ensure(typeof model === 'string' && model.trim(), 'model', 'a non-blank string', model)
  const said = isOptional(instructions, 'string') || typeof instructions === 'function'
  ensure(said, 'instructions', 'a string or a function', instructions)
  for (const name of ['memorySupplier', 'redact'] as const) {
    ensure(isOptional(options[name], 'function'), name, 'a function', options[name])
  }
  ensure(settings === undefined || isRecord(settings), 'settings', 'an object', settings)
  const retries = Number.isSafeInteger(modelRetries) && modelRetries >= 0
  ensure(retries, 'modelRetries', 'a whole number from 0', modelRetries)
  checkLimits(options)
  checkSessions(options)
  checkBudget(budget)
  checkMethods('projector', projector, ['project'])
  if (compactPolicy) checkMethods('compactPolicy', compactPolicy, ['shouldCompact', 'compact'])
  const byName = toolsByName(options.tools)
  const tools = [...byName.values()].map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }))
  const final =
    output === undefined
      ? undefined
      : compileParameters('The output', output, undefined, 'the answer is')
  const text = typeof instructions === 'string' ? instructions : undefined
  // Copying drops what is `undefined`, so a prompt has no instructions where the agent has none.
  const prompt = { model, instructions: text, tools, outputSchema: final?.schema, settings }
  return {
    modelClient,
    prompt: cloneJson(prompt, 'options') as RuntimeConfig['prompt'],
    instructions,
    tools: byName,
    output: final,
    projector,
    budget,
    compactPolicy,
    hooks: hooksOf(options.hooks),
    modelRetries,
    maxSteps: options.maxSteps ?? 50,
    timeoutMs: options.timeoutMs,
    maxTokens: options.maxTokens,
  }
}

const STORE: readonly (keyof AgentSessionStore)[] = [
  'save',
  'load',
  'delete',
  'listSessionIds',
  'listSessions',
]

function checkSessions({ sessionStore, autosave, listeners = [] }: AgentOptions): void {
  if (sessionStore) checkMethods('sessionStore', sessionStore, STORE)
  const known = autosave === undefined || AUTOSAVE_MODES.includes(autosave)
  ensure(known, 'autosave', `one of ${AUTOSAVE_MODES.join(', ')}`, autosave)
  const ok = Array.isArray(listeners) && listeners.every((one) => typeof one === 'function')
  ensure(ok, 'listeners', 'an array of functions', listeners)
}

function hooksOf(hooks: AgentOptions['hooks'] = []): readonly AgentHooks[] {
  const list = (Array.isArray(hooks) ? hooks : [hooks]) as readonly AgentHooks[]
  for (const hook of list) {
    const names = Object.keys(HOOKS) as (keyof AgentHooks)[]
    knownOptions(hook, names)
    for (const name of names)
      ensure(isOptional(hook[name], 'function'), name, 'a function', hook[name])
  }
  return [...list]
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
