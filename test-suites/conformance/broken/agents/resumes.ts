import {
  type AgentOptions,
  type AgentSessionSnapshot,
  type AgentSessionStore,
  createAgent,
} from '@holdfast/core'
import { logOf, withAgent, withOptions, withSessions } from './with-agent.ts'

/** `options` whose store does something else. */
export const storing = (
  options: AgentOptions,
  change: (store: AgentSessionStore) => Partial<AgentSessionStore>,
): AgentOptions => {
  const { sessionStore: store } = options
  if (!store) return options
  return {
    ...options,
    sessionStore: {
      save: (snapshot) => store.save(snapshot),
      load: (id) => store.load(id),
      delete: (id) => store.delete(id),
      listSessionIds: () => store.listSessionIds(),
      listSessions: (query) => store.listSessions(query),
      ...change(store),
    },
  }
}

/** `options` whose store loads something else. */
export const loading = (
  options: AgentOptions,
  change: (snapshot: AgentSessionSnapshot) => AgentSessionSnapshot,
): AgentOptions =>
  storing(options, (store) => ({
    async load(id) {
      const found = await store.load(id)
      return found && change(found)
    },
  }))

export const brokenResumes = [
  withSessions(
    'a resumed session has lost its attributes',
    'resume-goes-on',
    (session, { origin }) =>
      origin === 'newSession' ? {} : { metadata: { ...session.metadata, attributes: {} } },
  ),
  withOptions('a resumed session has its log alone', 'resume-goes-on', (options) =>
    loading(options, (found) => ({ ...found, memory: { items: [] } })),
  ),
  withAgent('a new session takes over an existing one', 'sessions-found-or-not', (agent) => ({
    newSession: (given) => (given?.id ? agent.session(given.id) : agent.newSession(given)),
  })),
  withAgent('resuming an unknown session makes one', 'sessions-found-or-not', (agent, options) => ({
    resumeSession: (id) => (options.sessionStore ? agent.session(id) : agent.resumeSession(id)),
  })),
  withAgent('resuming installs the memory of the record', 'memory-wins', (agent, options) => ({
    async resumeSession(id) {
      const session = await agent.resumeSession(id)
      const record = await options.sessionStore?.load(id)
      if (record) await session.restore(record.memory)
      return session
    },
  })),
  withAgent('each resume writes the whole memory into the log', 'log-stays-flat', (agent) => ({
    async session(id) {
      const session = await agent.session(id)
      const memory = await session.memory.snapshot()
      await session.clear()
      await session.restore(memory)
      return session
    },
  })),
  withSessions('events are numbered by their place in the log', 'sequence-grows', (session) => ({
    get eventLog() {
      const events = session.eventLog.events.map((it, index) => ({ ...it, sequence: index + 1 }))
      return logOf(events, events.length)
    },
  })),
  withOptions('what a compaction noted is not loaded', 'compaction-survives', (options) =>
    loading(options, ({ compact: _, ...found }) => ({
      ...found,
      events: found.events.filter(({ type }) => type !== 'MEMORY_COMPRESS'),
    })),
  ),
  withOptions('a summary is not loaded', 'compaction-survives', (options) =>
    loading(options, (found) => ({ ...found, memory: { items: found.memory.items } })),
  ),
  withAgent('a resumed session pins nothing', 'same-prompt', (agent, options) => ({
    async resumeSession(id) {
      if (!options.budget) return agent.resumeSession(id)
      const budget = { ...options.budget, pinnedPrefixItems: 0 }
      return createAgent({ ...options, budget }).resumeSession(id)
    },
  })),
  withAgent('deleting a session leaves its memory', 'deleted-whole', (_, options) => ({
    deleteSession: async (id) => (await options.sessionStore?.delete(id)) ?? false,
  })),
  withOptions('deleting a session leaves its record', 'deleted-whole', (options) =>
    storing(options, () => ({ delete: async () => true })),
  ),
  withOptions('a session is saved in the background alone', 'saved-in-step', (options) => ({
    ...options,
    autosave: options.autosave === 'sync' ? 'step' : options.autosave,
  })),
  withOptions('a session is saved when its run ends', 'saved-in-step', (options) => ({
    ...options,
    autosave: 'run',
  })),
  withOptions('a save overwrites what somebody else saved', 'two-writers', (options) =>
    storing(options, (store) => ({
      async save({ revision, ...snapshot }) {
        if (revision !== undefined) await store.delete(snapshot.id)
        return store.save(snapshot)
      },
    })),
  ),
]
