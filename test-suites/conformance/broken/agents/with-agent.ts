import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  type AgentSession,
  createAgent,
  type SessionEventLog,
} from '@holdfast/core'
import type { BrokenAgent } from './broken-agent.ts'
import { coreAgent } from './core-agent.ts'

/** `target` with some of its members replaced; what is not replaced keeps its `this`. */
function patched<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(it, key) {
      const own = (members as Record<PropertyKey, unknown>)[key]
      if (own !== undefined) return own
      const value: unknown = Reflect.get(it, key, it)
      return typeof value === 'function' ? value.bind(it) : value
    },
  })
}

/** Core's agent, made of other options or put behind something. */
export const made = (
  fault: string,
  rejectedBy: string,
  make: (options: AgentOptions) => Agent,
): BrokenAgent => ({
  fault,
  rejectedBy: `agent-${rejectedBy}`,
  harness: () => coreAgent(make),
})

/** Core's agent with other options than those that were given. */
export const withOptions = (
  fault: string,
  rejectedBy: string,
  change: (options: AgentOptions) => AgentOptions,
): BrokenAgent => made(fault, rejectedBy, (options) => createAgent(change(options)))

/** Core's agent with some methods replaced. */
export const withAgent = (
  fault: string,
  rejectedBy: string,
  change: (agent: Agent, options: AgentOptions) => Partial<Agent>,
): BrokenAgent =>
  made(fault, rejectedBy, (options) => {
    const agent = createAgent(options)
    return patched(agent, change(agent, options))
  })

/** How a session came to be. */
export type Origin = 'session' | 'newSession' | 'resumeSession'

/** Core's agent whose sessions have some members replaced. */
export const withSessions = (
  fault: string,
  rejectedBy: string,
  change: (
    session: AgentSession,
    about: { readonly options: AgentOptions; readonly agent: Agent; readonly origin: Origin },
  ) => Partial<AgentSession> | Promise<Partial<AgentSession>>,
): BrokenAgent =>
  withAgent(fault, rejectedBy, (agent, options) => {
    const wrap = async (session: AgentSession, origin: Origin) =>
      patched(session, await change(session, { options, agent, origin }))
    return {
      session: async (id) => wrap(await agent.session(id), 'session'),
      newSession: async (given) => wrap(await agent.newSession(given), 'newSession'),
      resumeSession: async (id) => wrap(await agent.resumeSession(id), 'resumeSession'),
    }
  })

/** What a session shows as its log. */
export const logOf = (events: readonly AgentEvent[], lastSequence: number): SessionEventLog =>
  ({ events, lastSequence }) as Partial<SessionEventLog> as SessionEventLog
