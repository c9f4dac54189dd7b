import { userMessage } from '../../src/contracts/item.ts'
import type {
  AgentEvent,
  AgentEventType,
  AgentSessionSnapshot,
  AgentSessionStore,
  JsonObject,
} from '../../src/index.ts'
import { SessionEventProjector } from '../../src/sessions/session-event-projector.ts'

export const event = (sequence: number, type: string, payload: unknown = {}): AgentEvent => ({
  sequence,
  type: type as AgentEventType,
  at: 1_700_000_000_000 + sequence,
  payload: payload as JsonObject,
})

export const say = (...words: string[]) => ({ items: words.map(userMessage) })

export const input = (sequence: number, ...words: string[]): AgentEvent =>
  event(sequence, 'USER_INPUT', say(...words))

export const compaction = {
  summary: 's',
  completed: ['a'],
  pending: [],
  decisions: ['d'],
  files: [],
  openQuestions: [],
  report: {
    itemsBefore: 2,
    itemsAfter: 1,
    approxCharsBefore: 2,
    approxCharsAfter: 1,
    approxTokensAfter: 1,
    dropped: 1,
    truncated: 0,
    repairs: [],
    overBudget: false,
  },
}

/** A session whose memory is the fold of its events. */
export function sessionOf(
  id: string,
  events: readonly AgentEvent[],
  rest: Partial<AgentSessionSnapshot> = {},
): AgentSessionSnapshot {
  return {
    id,
    metadata: { createdAt: 1, updatedAt: 2, attributes: {} },
    memory: SessionEventProjector.deriveSnapshot(events),
    events,
    ...rest,
  }
}

/** Saves `snapshot` as what follows what is stored, and answers what is loaded then. */
export async function saved(
  store: AgentSessionStore,
  snapshot: AgentSessionSnapshot,
): Promise<AgentSessionSnapshot & { readonly revision: string }> {
  const { revision } = await store.save(snapshot)
  const loaded = await store.load(snapshot.id)
  if (loaded?.revision !== revision) throw new Error('What was saved is not what is loaded.')
  return { ...loaded, revision }
}

/** What `trimEvents(before)` makes of a session. */
export function trimmed(
  snapshot: AgentSessionSnapshot,
  before: number,
  payload: JsonObject = {},
): AgentSessionSnapshot {
  const gone = snapshot.events.filter(({ sequence }) => sequence < before)
  const last = gone.at(-1)
  if (!last) return snapshot
  const memory = SessionEventProjector.deriveSnapshot(gone) as unknown as JsonObject
  const baseline = {
    ...last,
    type: 'SESSION_RESTORED' as const,
    payload: { reason: 'trim', ...memory, calls: {}, ...payload },
  }
  const rest = snapshot.events.filter(({ sequence }) => sequence >= before)
  return { ...snapshot, events: [baseline, ...rest] }
}
