import {
  type AgentMemory,
  type AgentOptions,
  type AgentSession,
  createAgent,
  HoldfastError,
  InMemoryAgentMemory,
  type Persistent,
  type RunOptions,
} from '@holdfast/core'
import { made, withOptions, withSessions } from './with-agent.ts'

/** Rejects once the signal aborts, or after a time: the run itself is never told. */
function left({ signal, timeoutMs }: RunOptions): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () =>
      reject(new HoldfastError('ABORTED', 'aborted', { cause: signal.reason })),
    )
    if (timeoutMs === undefined) return
    const partial = {
      text: '',
      steps: 1,
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    }
    const late = new HoldfastError('LIMIT_EXCEEDED', 'too long', { limit: 'time', partial })
    setTimeout(() => reject(late), timeoutMs)
  })
}

/** Leaves a run to itself where it is aborted or over its time. */
const abandoning = (session: AgentSession): Partial<AgentSession> => ({
  run(input, options = {}) {
    const { signal: _, timeoutMs: __, ...rest } = options
    const running = session.run(input, rest)
    running.catch(() => undefined)
    return Promise.race([running, left(options)])
  },
})

/** Core's agent whose tools still write their result into the memory when the run has been aborted. */
function storesLate(options: AgentOptions) {
  const memory = new InMemoryAgentMemory()
  return createAgent({
    ...options,
    memorySupplier: options.memorySupplier ?? (() => memory),
    tools: options.tools?.map((tool) => ({
      ...tool,
      async execute(args, context) {
        const output = await tool.execute(args, context)
        if (context.signal.aborted) await memory.addToolOutput(context.callId, String(output))
        return output
      },
    })),
  })
}

/** A memory whose view does not end with its life. */
const unpinned = (memory: AgentMemory & Partial<Persistent>) =>
  new Proxy(memory, {
    get(it, key, proxy) {
      // What is answered may be pinned again.
      if (key === 'pin') return () => proxy
      const value: unknown = Reflect.get(it, key, it)
      return typeof value === 'function' ? value.bind(it) : value
    },
  })

export const brokenEndings = [
  withSessions(
    'an aborted run is left to itself, its calls open',
    'abort-leaves-pairs',
    abandoning,
  ),
  made('a result is stored behind the abort', 'late-result-dropped', storesLate),
  withSessions(
    'an answer that comes behind the abort is stored',
    'abort-in-the-model-call',
    abandoning,
  ),
  withSessions('a run over its time is left to itself', 'time-limit', abandoning),
  withSessions('a run makes one step more than it may', 'step-limit', (session) => ({
    run: (input, { maxSteps, ...options } = {}) =>
      session.run(input, { ...options, ...(maxSteps ? { maxSteps: maxSteps + 1 } : {}) }),
  })),
  withSessions('the step limit ends the run as if it were done', 'step-limit', (session) => ({
    async run(input, options) {
      try {
        return await session.run(input, options)
      } catch (error) {
        const { partial } = error as { partial?: { text: string; steps: number; usage: never } }
        if (!partial) throw error
        return { status: 'completed', interruptions: [], ...partial }
      }
    },
  })),
  withSessions('a second run waits for the first', 'two-runs-at-once', (session) => {
    let last: Promise<unknown> = Promise.resolve()
    return {
      run(input, options) {
        const next = last.then(() => session.run(input, options))
        last = next.catch(() => undefined)
        return next
      },
    }
  }),
  withOptions(
    'a run goes on in the life that somebody else began',
    'deleted-meanwhile',
    (options) => {
      const { memorySupplier: supply } = options
      return {
        ...options,
        ...(supply ? { memorySupplier: async (id: string) => unpinned(await supply(id)) } : {}),
      }
    },
  ),
  withSessions('a stream leaves out the results of tools', 'stream-shows-all', (session) => ({
    stream(input, options) {
      const inner = session.stream(input, options)
      return {
        textStream: inner.textStream,
        result: inner.result,
        async *[Symbol.asyncIterator]() {
          for await (const part of inner) if (part.type !== 'TOOL_RESULT') yield part
        },
      }
    },
  })),
  withSessions('a stream shows no text', 'stream-shows-all', (session) => ({
    stream(input, options) {
      const inner = session.stream(input, options)
      return {
        textStream: inner.textStream,
        result: inner.result,
        async *[Symbol.asyncIterator]() {
          for await (const part of inner) if ('sequence' in part) yield part
        },
      }
    },
  })),
  withSessions('a stream that was left runs on', 'stream-left-early', (session) => ({
    stream(input, options) {
      const inner = session.stream(input, options)
      return {
        textStream: inner.textStream,
        result: inner.result,
        async *[Symbol.asyncIterator]() {
          const parts = inner[Symbol.asyncIterator]()
          for (;;) {
            const { value, done } = await parts.next()
            if (done) return
            yield value
          }
        },
      }
    },
  })),
  made('a run is begun again where the model fails', 'model-retried', (options) => {
    const agent = createAgent({ ...options, modelRetries: 0 })
    return {
      ...agent,
      async newSession(given) {
        const session = await agent.newSession(given)
        const run: AgentSession['run'] = async (input, rest) => {
          for (let tries = 0; ; tries++) {
            try {
              return await session.run(input, rest)
            } catch (error) {
              if (tries >= 3) throw error
            }
          }
        }
        return new Proxy(session, {
          get(it, key) {
            if (key === 'run') return run
            const value: unknown = Reflect.get(it, key, it)
            return typeof value === 'function' ? value.bind(it) : value
          },
        })
      },
    }
  }),
]
