import assert from 'node:assert/strict'
import {
  type AgentEvent,
  type AgentSession,
  type PendingCall,
  SessionEventProjector,
} from '@holdfast/core'
import { Random } from '../random.ts'
import { applyOperation, ownEvents } from './apply-operation.ts'
import { foldOf } from './event-fold.ts'
import { type SessionPlan, sessionPlan } from './session-plan.ts'
import { type Sabotage, SessionWorld } from './session-world.ts'

export interface SequenceReport {
  readonly operations: number
  readonly prompts: number
  /** Prompts made for some window size, and looked at. */
  readonly windows: number
  readonly interrupted: number
  readonly byType: Readonly<Record<string, number>>
}

/** All there is to a session, but what belongs to a process: times, names of runs, numbers that resuming shifts. */
async function stateOf(session: AgentSession) {
  const { memory, compact, metadata } = await session.snapshot()
  return {
    items: await session.memory.getItems(),
    memory,
    compact,
    attributes: metadata.attributes,
    pending: await session.pending(),
    transcript: SessionEventProjector.deriveTranscript(session.eventLog.events).map(
      ({ item }) => item,
    ),
    events: ownEvents(session.eventLog.events).map(({ type, payload, step }) => {
      // A baseline stands where the last event stood that it replaces, which may have been a resume.
      return type === 'SESSION_RESTORED' ? { type, payload } : { type, payload, step }
    }),
  }
}

const textOf = async (session: AgentSession) =>
  JSON.stringify([await session.snapshot(), await session.pending()])

/** What an operation found. */
interface Before {
  readonly text: string
  readonly events: readonly AgentEvent[]
  readonly pending: readonly PendingCall[]
}

/** Operations that are nothing to a call that waits for somebody outside. */
const KEEP_PENDING: ReadonlySet<string> = new Set([
  'attributes',
  'compact',
  'fork',
  'keep',
  'replace',
  'resume',
  'save',
  'trim',
])

/** What must hold of a session at any time. `before`: its events when the last operation began. */
async function checkSession(
  world: SessionWorld,
  session: AgentSession,
  before: readonly AgentEvent[],
  type: string,
): Promise<void> {
  const { memory, events } = await session.snapshot()
  assert.deepEqual(foldOf(events), memory, 'the fold of the events is not the memory')
  assert.deepEqual(SessionEventProjector.deriveSnapshot(events), memory, 'the derived snapshot')
  events.forEach(({ sequence }, at) => {
    assert.ok(sequence > (events[at - 1]?.sequence ?? 0), `sequence number ${sequence}`)
  })
  if (type !== 'trim' && type !== 'crash') {
    // That it was resumed is not saved before something else is.
    const saved = before.findLastIndex((event) => ownEvents([event]).length > 0) + 1
    assert.deepEqual(events.slice(0, saved), before.slice(0, saved), 'the log was rewritten')
  }
  if (world.plan.redacted) assert.doesNotMatch(JSON.stringify([memory, events]), /secret-/)
  world.projector.look(await session.memory.getItems(), world.plan.budget)
}

/** Runs the sequence of that seed twice at once, with sessions that are stopped and resumed and with a twin of each that never is. */
export async function runSequence(seed: number, sabotage: Sabotage = {}): Promise<SequenceReport> {
  const plan: SessionPlan = sessionPlan(new Random(seed), seed)
  const world = new SessionWorld(plan, sabotage)
  const twin = new SessionWorld(plan, sabotage)
  for (const one of [world, twin]) {
    one.sessions.set('first', await one.process().agent.session('first'))
  }
  const byType: Record<string, number> = {}
  let prompts = 0
  let interrupted = 0
  for (const [at, operation] of plan.operations.entries()) {
    const { type } = operation
    try {
      const before = new Map<string, Before>()
      for (const [id, session] of world.sessions) {
        const { events } = session.eventLog
        before.set(id, { text: await textOf(session), events, pending: await session.pending() })
      }
      world.prompts = []
      twin.prompts = []
      const applied = await applyOperation(world, operation, true)
      const other = await applyOperation(twin, operation, false)
      assert.deepEqual(JSON.parse(JSON.stringify(applied)), JSON.parse(JSON.stringify(other)))
      assert.deepEqual(world.prompts, twin.prompts, 'prompts of the session that was resumed')
      assert.deepEqual([...world.sessions.keys()], [...twin.sessions.keys()])
      for (const [id, session] of world.sessions) {
        const old = before.get(id)
        if (old && id !== applied.id) {
          assert.equal(await textOf(session), old.text, `${applied.id} changed ${id}`)
        }
        if (old && id !== applied.id) continue
        await checkSession(world, session, old?.events ?? [], old ? type : 'new')
        if (old && KEEP_PENDING.has(type)) {
          assert.deepEqual(await session.pending(), old.pending, 'the calls that wait')
        }
        const same = twin.sessions.get(id)
        if (same) assert.deepEqual(await stateOf(session), await stateOf(same), `the twin of ${id}`)
      }
      for (const { faults, counts, projector } of [world, twin]) {
        assert.deepEqual([...faults, ...counts.faults, ...projector.faults], [])
      }
      if (applied.done) byType[type] = (byType[type] ?? 0) + 1
      prompts += world.prompts.length
      if (JSON.stringify(applied.outcome)?.includes('"interrupted"')) interrupted++
    } catch (cause) {
      const { setup, autosave, projector } = plan
      const said = cause instanceof Error ? cause.message : String(cause)
      throw new Error(
        `sequence ${seed} (${setup}, autosave ${autosave}, ${projector} projector), operation ${at} (${type}): ${said}`,
        { cause },
      )
    }
  }
  return {
    operations: plan.operations.length,
    prompts,
    windows: world.projector.windows + twin.projector.windows,
    interrupted,
    byType,
  }
}
