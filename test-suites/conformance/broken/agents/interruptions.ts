import type { AgentOptions, JsonValue, Tool } from '@holdfast/core'
import { codeOf } from '../../src/store/session-snapshots.ts'
import { loading, storing } from './resumes.ts'
import { withAgent, withOptions, withSessions } from './with-agent.ts'

/** `options` whose tools do something else. */
const tooling = (options: AgentOptions, change: (tool: Tool) => Partial<Tool>): AgentOptions => ({
  ...options,
  tools: options.tools?.map((tool) => ({ ...tool, ...change(tool) })),
})

export const brokenInterruptions = [
  withOptions('approval is not waited for', 'approval-waits', (options) =>
    tooling(options, () => ({ needsApproval: () => false })),
  ),
  withSessions('a call that waits is taken for approved', 'approval-waits', (session) => ({
    async run(input, options) {
      const result = await session.run(input, options)
      for (const { callId } of result.interruptions) await session.answer(callId, { approve: true })
      return result.interruptions.length > 0 ? session.run(null, options) : result
    },
  })),
  withSessions('a second answer is taken as well', 'answered-once', (session) => ({
    async answer(callId, answer) {
      await session.answer(callId, answer).catch((error: unknown) => {
        if (codeOf(error) !== 'CONFLICT') throw error
      })
    },
  })),
  withSessions('a second answer replaces the first', 'answered-once', (session) => ({
    async answer(callId, answer) {
      try {
        await session.answer(callId, answer)
      } catch (error) {
        if (!('output' in answer) || codeOf(error) !== 'CONFLICT') throw error
        const { output } = answer
        await session.replaceToolOutput(callId, output).catch(() => Promise.reject(error))
      }
    },
  })),
  withOptions('every question of a call gets the first reply', 'asked-and-replied', (options) =>
    tooling(options, (tool) => ({
      execute(args, context) {
        let first: Promise<JsonValue> | undefined
        const ask = (request: unknown) => {
          first ??= context.ask(request)
          return first
        }
        return tool.execute(args, { ...context, ask })
      },
    })),
  ),
  withSessions(
    'what a tool asks is not among the interruptions',
    'asked-and-replied',
    (session) => ({
      async run(input, options) {
        const result = await session.run(input, options)
        const interruptions = result.interruptions.map(({ request: _, ...rest }) => rest)
        return { ...result, interruptions }
      },
    }),
  ),
  withOptions('that a call waits is forgotten with the process', 'answered-elsewhere', (options) =>
    loading(options, (found) => ({
      ...found,
      events: found.events.filter(({ type }) => type !== 'INTERRUPTED'),
    })),
  ),
  withOptions(
    'an answer is not saved before the run that it lets go on',
    'answered-elsewhere',
    (options) =>
      storing(options, (store) => ({
        async save(snapshot) {
          const { revision, events } = snapshot
          const answers = revision !== undefined && events.at(-1)?.type === 'ANSWERED'
          return answers ? { revision } : store.save(snapshot)
        },
      })),
  ),
  withSessions('new input passes by the calls that wait', 'pending-refuse-input', (session) => ({
    run: (input, options) => session.run(input, { onPending: 'close', ...options }),
  })),
  withSessions('refused input is stored all the same', 'pending-refuse-input', (session) => ({
    async run(input, options) {
      try {
        return await session.run(input, options)
      } catch (error) {
        if (codeOf(error) === 'PENDING_CALLS' && typeof input === 'string') {
          const { items } = await session.memory.snapshot()
          const content = [{ type: 'input_text', text: input }]
          await session.restore({ items: [...items, { type: 'message', role: 'user', content }] })
        }
        throw error
      }
    },
  })),
  withAgent('a call that was running in a kill is run again', 'killed-in-a-tool', (agent) => ({
    async resumeSession(id) {
      const session = await agent.resumeSession(id)
      for (const { callId, state } of await session.pending()) {
        if (state === 'unknown') await session.answer(callId, { rerun: true })
      }
      return session
    },
  })),
  withAgent(
    'a call that was running in a kill is closed in silence',
    'killed-in-a-tool',
    (agent) => ({
      async resumeSession(id) {
        const session = await agent.resumeSession(id)
        for (const { callId, state } of await session.pending()) {
          if (state === 'unknown') await session.answer(callId, { output: 'Interrupted.' })
        }
        return session
      },
    }),
  ),
  withSessions('a reply approves whatever waits', 'reply-to-a-question', (session) => ({
    answer: (callId, answer) =>
      session.answer(callId, 'reply' in answer ? { approve: true } : answer),
  })),
  withSessions('a fork takes over what was approved', 'approved-not-in-the-fork', (session) => ({
    async fork(id, options) {
      const fork = await session.fork(id, options)
      for (const { callId } of await fork.pending()) await fork.answer(callId, { rerun: true })
      return fork
    },
  })),
]
