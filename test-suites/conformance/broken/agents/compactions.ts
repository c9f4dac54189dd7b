import {
  type AgentItem,
  type AgentOptions,
  type CompactPolicy,
  type ContextProjector,
  DefaultContextProjector,
} from '@holdfast/core'
import { codeOf } from '../../src/store/session-snapshots.ts'
import { withOptions, withSessions } from './with-agent.ts'

/** `options` with a projector that makes something else of what the default one answers without a budget. */
const projecting = (
  options: AgentOptions,
  change: (items: AgentItem[], budget: Parameters<ContextProjector['project']>[1]) => AgentItem[],
): AgentOptions => {
  const inner = new DefaultContextProjector()
  return {
    ...options,
    projector: {
      project(items, budget) {
        const { items: shown, report } = inner.project(items, {})
        return { items: change(shown, budget), report }
      },
    },
  }
}

/** `policy` that compacts something else, or answers something else. */
const changed = (policy: CompactPolicy, compact: CompactPolicy['compact']): CompactPolicy => ({
  shouldCompact: (snapshot) => policy.shouldCompact(snapshot),
  compact,
})

const cut = (value: unknown): unknown => {
  if (typeof value === 'string') return value.slice(0, 1_001)
  if (Array.isArray(value)) return value.map(cut)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, cut(it)]))
}

export const brokenCompactions = [
  withSessions(
    'a compaction always puts its summary in the place of the old one',
    'summary-kept',
    (session) => ({
      compact: (policy, options) =>
        session.compact(
          policy &&
            changed(policy, async (snapshot) => {
              const result = await policy.compact({ items: snapshot.items })
              return { ...result, memory: { items: result.memory.items } }
            }),
          options,
        ),
    }),
  ),
  withSessions('a compaction never sees the summary before it', 'facts-survive', (session) => ({
    compact: (policy, options) =>
      session.compact(policy && changed(policy, ({ items }) => policy.compact({ items })), options),
  })),
  withOptions(
    'the unfinished turn is compacted with the rest',
    'unfinished-turn-protected',
    (options) => {
      if (!options.compactPolicy) return options
      return projecting(options, (items) => items.slice(0, 1))
    },
  ),
  withSessions(
    'a compaction that fails ends the run',
    'compaction-that-fails',
    (session, { options }) => ({
      async run(input, given) {
        const memory = await session.memory.snapshot()
        if (options.compactPolicy?.shouldCompact(memory)) await session.compact()
        return session.run(input, given)
      },
    }),
  ),
  withSessions(
    'a compaction that was asked for hides its failure',
    'compaction-that-fails',
    (session) => ({
      compact: (policy, options) => session.compact(policy, options).catch(() => undefined),
    }),
  ),
  withSessions(
    'a compaction installs its result over whatever is there',
    'slow-compaction',
    (session) => ({
      async compact(policy) {
        const result = await policy?.compact(await session.memory.snapshot())
        if (result) await session.restore(result.memory)
        return result
      },
    }),
  ),
  withSessions(
    'an overtaken compaction installs its result all the same',
    'slow-compaction-overtaken',
    (session) => ({
      async compact(policy, options) {
        try {
          return await session.compact(policy, options)
        } catch (error) {
          if (codeOf(error) !== 'CONFLICT') throw error
          const result = await policy?.compact(await session.memory.snapshot())
          if (result) await session.restore(result.memory)
          return result
        }
      },
    }),
  ),
  withOptions('texts are cut between UTF-16 units', 'cut-on-code-points', (options) =>
    projecting(options, (items) => cut(items) as AgentItem[]),
  ),
  withOptions('a budget shows the last items, whatever they are', 'every-budget', (options) =>
    projecting(options, (items, { maxItems = 100 }) => items.slice(-maxItems)),
  ),
  withOptions('a budget leaves out what the turn has done so far', 'every-budget', (options) =>
    projecting(options, (items, { maxItems = 100 }) =>
      items.length <= maxItems ? items : items.filter(({ role }) => role === 'user'),
    ),
  ),
]
