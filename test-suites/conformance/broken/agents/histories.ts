import {
  type AgentEvent,
  type AgentSessionSnapshot,
  InMemoryAgentMemory,
  WindowedMemoryCompressor,
} from '@holdfast/core'
import { logOf, withAgent, withOptions, withSessions } from './with-agent.ts'

const windowed = (n: number) => () =>
  new InMemoryAgentMemory({ compressor: new WindowedMemoryCompressor(n) })

export const brokenHistories = [
  withOptions(
    'the memory of a session drops its oldest items at 18',
    'random-sessions',
    (options) => ({
      ...options,
      memorySupplier: windowed(18),
    }),
  ),
  withOptions('nothing is redacted', 'redacted-nowhere', ({ redact: _, ...options }) => options),
  withOptions('the input of the user alone is redacted', 'redacted-nowhere', (options) => {
    const { redact } = options
    if (!redact) return options
    return { ...options, redact: (it, type) => (type === 'USER_INPUT' ? redact(it, type) : it) }
  }),
  withOptions('tool results are stored before they are redacted', 'redacted-nowhere', (options) => {
    const { redact } = options
    if (!redact) return options
    return { ...options, redact: (it, type) => (type === 'TOOL_RESULT' ? it : redact(it, type)) }
  }),
  withSessions('a fork is its source by another name', 'fork-independent', (session) => ({
    async fork(id, options) {
      if (options?.until !== undefined) return session.fork(id, options)
      return session
    },
  })),
  withSessions('a fork has no history', 'fork-independent', (session, { agent }) => ({
    async fork(id) {
      const fork = await agent.newSession({ id })
      await fork.restore(await session.memory.snapshot())
      return fork
    },
  })),
  withSessions(
    'a fork has the memory of now, whatever was asked for',
    'fork-of-the-past',
    (session) => ({
      fork: (id) => session.fork(id),
    }),
  ),
  withSessions('a replaced output is recorded as a restore', 'fold-is-memory', (session) => ({
    async replaceToolOutput(callId, output) {
      const { items, ...rest } = await session.memory.snapshot()
      const replaced = items.map((item) =>
        item.type === 'function_call_output' && item['call_id'] === callId
          ? { ...item, output }
          : item,
      )
      await session.restore({ ...rest, items: replaced })
    },
  })),
  withOptions(
    'the oldest items are dropped behind the back of the log',
    'fold-is-memory',
    (options) => ({
      ...options,
      memorySupplier: options.memorySupplier ?? windowed(5),
    }),
  ),
  withOptions('a budget shortens the memory', 'report-is-no-rewrite', (options) => ({
    ...options,
    ...(options.budget ? { memorySupplier: windowed(options.budget.maxItems ?? 4) } : {}),
  })),
  withSessions(
    'what a listener throws ends the run',
    'listener-that-throws',
    (session, { options }) => ({
      async run(input, given) {
        const result = await session.run(input, given)
        const event = session.eventLog.events.at(-1) as AgentEvent
        for (const listener of options.listeners ?? []) listener(event, { sessionId: session.id })
        return result
      },
    }),
  ),
  withOptions(
    'a listener that throws keeps the event from the others',
    'listener-that-throws',
    (options) => ({
      ...options,
      listeners: [
        (event, about) => {
          for (const listener of options.listeners ?? []) listener(event, about)
        },
      ],
    }),
  ),
  withSessions('a snapshot is made once and handed out again', 'snapshot-detached', (session) => {
    let made: AgentSessionSnapshot | undefined
    return {
      async snapshot() {
        made ??= await session.snapshot()
        return made
      },
    }
  }),
  withSessions('a trimmed log has no baseline', 'trimmed-log', (session) => ({
    get eventLog() {
      const { lastSequence } = session.eventLog
      const events = session.eventLog.events.filter(({ payload }) => payload['reason'] !== 'trim')
      return logOf(events, lastSequence)
    },
  })),
  withAgent('an agent keeps every session that it made', 'nothing-held', (agent) => {
    const kept: unknown[] = []
    return {
      async session(id) {
        const session = await agent.session(id)
        kept.push(session)
        return session
      },
    }
  }),
]
