import assert from 'node:assert/strict'
import {
  type Agent,
  type AgentEvent,
  type AgentItem,
  type AgentOptions,
  type AgentSession,
  InMemoryAgentSessionStore,
  type MemorySnapshot,
  SessionEventProjector,
  type Tool,
  type ToolOptions,
  tool,
} from '@holdfast/core'
import type { MakeAgent } from './agent-harness.ts'
import { Script, type ScriptStep } from './script.ts'

const ANY_OBJECT = { type: 'object', properties: {}, additionalProperties: true } as const

type Execute = ToolOptions['execute']
type Rest = { readonly needsApproval?: ToolOptions['needsApproval'] }

/** A tool as core makes it. */
export const agentTool = (
  name: string,
  execute: Execute = () => `result of ${name}`,
  rest: Rest = {},
): Tool =>
  tool({ name, description: `The tool ${name}.`, parameters: ANY_OBJECT, execute, ...rest })

/** An agent with its script; `store` is what its sessions are saved in. */
export interface Staged {
  readonly agent: Agent
  readonly script: Script
  readonly store: InMemoryAgentSessionStore
}

/** Makes agents that share one session store: each call stands for another process. */
export function staging(createAgent: MakeAgent, shared: Partial<AgentOptions> = {}) {
  const store = new InMemoryAgentSessionStore()
  return (steps: readonly ScriptStep[], options: Partial<AgentOptions> = {}): Staged => {
    const script = new Script(steps)
    const agent = createAgent({
      modelClient: script,
      model: 'scripted',
      modelRetries: 0,
      sessionStore: store,
      ...shared,
      ...options,
    })
    return { agent, script, store }
  }
}

const plain = ({ items, summary }: MemorySnapshot) => ({ items: [...items], summary })

/** Asserts that folding the session's log gives its memory; answers the memory. */
export async function assertFold(
  session: AgentSession,
  what = 'the fold',
): Promise<MemorySnapshot> {
  const memory = await session.memory.snapshot()
  const folded = SessionEventProjector.deriveSnapshot(session.eventLog.events)
  assert.deepEqual(plain(folded), plain(memory), what)
  return memory
}

export const itemsOf = async (session: AgentSession): Promise<AgentItem[]> => [
  ...(await session.memory.snapshot()).items,
]

/** Asserts that sequence numbers grow strictly, from 1 on. */
export function assertSequence(events: readonly AgentEvent[]): void {
  let last = 0
  for (const { sequence, type } of events) {
    assert.ok(sequence > last, `${type} has number ${sequence}, behind ${last}`)
    last = sequence
  }
}

/** The types of the events that change memory. */
export const changesOf = (events: readonly AgentEvent[]): string[] =>
  events.flatMap(({ type, payload }) => {
    const changes = {
      USER_INPUT: true,
      MEMORY_ITEMS_APPENDED: true,
      TOOL_RESULT: true,
      TOOL_OUTPUT_REPLACED: true,
      MEMORY_COMPRESS: 'memory' in payload,
      SESSION_RESTORED: !('unchanged' in payload),
    } as const
    return changes[type as keyof typeof changes] ? [type] : []
  })

/** The error of what must be refused with `code`. */
export async function refused(
  attempt: Promise<unknown>,
  code: string,
): Promise<Error & { code: string; partial?: { text: string; steps: number } }> {
  const error = await attempt.then(
    () => assert.fail(`resolved, where ${code} was due`),
    (reason: unknown) => reason as Error & { code: string },
  )
  if (error instanceof assert.AssertionError) throw error
  assert.equal(error.code, code, `${error.code}: ${error.message}`)
  return error
}

/** A promise and its end, for tools that wait until the case lets them go. */
export function gate<T = void>() {
  let open!: (value: T) => void
  const opened = new Promise<T>((resolve) => {
    open = resolve
  })
  return { open, opened }
}
