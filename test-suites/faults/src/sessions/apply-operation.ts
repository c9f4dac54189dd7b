import assert from 'node:assert/strict'
import {
  type AgentEvent,
  type AgentSession,
  functionCallOutput,
  type MemorySnapshot,
  SessionLogReader,
  userMessage,
} from '@holdfast/core'
import { compactPolicy, NO_POLICY } from './compact-policies.ts'
import { foldOf } from './event-fold.ts'
import { answerFor, type SessionOperation } from './session-plan.ts'
import { runsUnasked } from './session-tools.ts'
import { codeOf, MAX_SESSIONS, outputIds, type SessionWorld } from './session-world.ts'

/** What an operation did, told alike by two worlds in the same state. */
export interface Applied {
  /** The session that it was done to. */
  readonly id: string
  /** False where there was nothing to do it to. */
  readonly done: boolean
  readonly outcome?: unknown
}

type Of<T extends SessionOperation['type']> = Extract<SessionOperation, { readonly type: T }>

const pickOf = <T>(list: readonly T[], pick: number): T | undefined =>
  list[Math.floor(pick * list.length)]

/** The events that a session without any resume would have, too. */
export const ownEvents = (events: readonly AgentEvent[]): AgentEvent[] =>
  events.filter(
    ({ type, payload }) => type !== 'SESSION_RESTORED' || payload['reason'] !== 'resume',
  )

/** Does `operation` in `world`, and checks what it alone promises. `stops`: whether sessions are really stopped. */
export async function applyOperation(
  world: SessionWorld,
  operation: SessionOperation,
  stops: boolean,
): Promise<Applied> {
  const ids = [...world.sessions.keys()]
  const id = pickOf(ids, operation.session)
  const session = id === undefined ? undefined : world.sessions.get(id)
  if (id === undefined || !session) throw new Error('no session to pick')
  const did = (outcome: unknown): Applied => ({ id, done: true, outcome })
  const nothing: Applied = { id, done: false }
  const before = await session.memory.snapshot()
  switch (operation.type) {
    case 'run':
      return did(await run(world, session, operation))
    case 'goOn':
      return did(await world.run(session, null, operation.turns))
    case 'answer': {
      const call = pickOf(await session.pending(), operation.pick)
      if (!call) return nothing
      const answer = answerFor(call, operation.answer)
      const code = await failureOf(session.answer(call.callId, answer))
      const runs = 'approve' in answer || 'reply' in answer || 'rerun' in answer
      if (runs && code === undefined) {
        const nonce = /"nonce": ?"([^"]+)"/.exec(call.arguments)?.[1]
        if (nonce !== undefined) world.counts.allow(id, nonce, runsUnasked(call.name))
      }
      const again = await failureOf(session.answer(call.callId, { reject: 'again' }))
      if (code === undefined) assert.equal(again, 'CONFLICT', 'a second answer')
      return did([call, answer, code, again])
    }
    case 'compact': {
      const policy = operation.policy === 'none' ? NO_POLICY : compactPolicy(operation.policy, 0)
      const { memory, ...result } = (await session.compact(policy)) ?? {}
      if (memory) {
        const { items, summary } = await session.memory.snapshot()
        assert.deepEqual(items.slice(0, memory.items.length), memory.items)
        assert.equal(summary, memory.summary)
      }
      return did([memory, result])
    }
    case 'replace': {
      const callId = pickOf(await outputIds(session), operation.pick) ?? 'no such call'
      const code = await failureOf(session.replaceToolOutput(callId, operation.text))
      const items = before.items.map((item) =>
        item.type === 'function_call_output' && item['call_id'] === callId
          ? { ...item, output: operation.text }
          : item,
      )
      assert.deepEqual((await session.memory.snapshot()).items, items)
      assert.equal(code, callId === 'no such call' ? 'NOT_FOUND' : undefined)
      return did([callId, code])
    }
    case 'keep':
      world.keep(id, await session.snapshot())
      return did(undefined)
    case 'restore': {
      const kept = pickOf(world.kept.get(id) ?? [], operation.pick)
      if (!kept) return nothing
      await session.restore(operation.memoryOnly ? kept.memory : kept)
      assert.deepEqual(await session.memory.snapshot(), kept.memory)
      return did(undefined)
    }
    case 'import': {
      if (world.sessions.size >= MAX_SESSIONS) return nothing
      const other = await world.process().agent.newSession({ id: operation.id })
      await other.restore(await session.snapshot())
      world.counts.copy(id, operation.id, true)
      world.sessions.set(operation.id, other)
      assert.deepEqual(await other.memory.snapshot(), before)
      return did(undefined)
    }
    case 'fork':
      return (await fork(world, session, operation, before)) ? did(undefined) : nothing
    case 'undo': {
      const undone = await session.undo()
      const { items, summary } = await session.memory.snapshot()
      assert.deepEqual(items, before.items.slice(0, items.length))
      assert.equal(summary, before.summary)
      assert.equal(undone, items.length < before.items.length)
      return did(undone)
    }
    case 'clear':
      await session.clear()
      assert.deepEqual(await session.memory.snapshot(), { items: [] })
      return did(undefined)
    case 'save':
      await save(world, session)
      return did(undefined)
    case 'trim': {
      const own = ownEvents(session.eventLog.events)
      const event = pickOf(own, operation.pick)
      const { lastSequence } = session.eventLog
      await session.trimEvents(event?.sequence ?? 0)
      assert.equal(session.eventLog.lastSequence, lastSequence)
      assert.deepEqual(await session.memory.snapshot(), before)
      return did(own.length)
    }
    case 'attributes':
      session.setAttributes({ value: operation.value })
      await session.save()
      return did(undefined)
    case 'resume':
      await settled(world, session)
      if (stops) await resume(world, session, operation.known)
      return did(undefined)
    case 'crash':
      return (await crash(world, session, before)) ? did(undefined) : nothing
  }
}

async function failureOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}

async function run(world: SessionWorld, session: AgentSession, operation: Of<'run'>) {
  const { input, turns, onPending, streamed } = operation
  const pending = await session.pending()
  const outputs = pending.map(({ callId }) => functionCallOutput(callId, 'given with the input'))
  const given =
    onPending === 'input' && outputs.length > 0 ? [...outputs, userMessage('so go on')] : input
  const outcome = await world.run(session, given, turns, {
    streamed,
    close: onPending === 'close',
  })
  if (outcome.result?.status === 'interrupted') {
    assert.deepEqual(await session.pending(), outcome.result.interruptions)
    // To go back later to where calls waited, whatever was said to them since.
    world.keep(session.id, await session.snapshot())
  }
  if (outcome.result?.status === 'completed') {
    const { items } = await session.memory.snapshot()
    const closed = new Set(await outputIds(session))
    const open = items.filter(
      ({ type, call_id }) => type === 'function_call' && !closed.has(String(call_id)),
    )
    assert.deepEqual(open, [], 'calls without an output after a completed run')
  }
  return outcome
}

async function fork(
  world: SessionWorld,
  session: AgentSession,
  { id, until }: Of<'fork'>,
  before: MemorySnapshot,
): Promise<boolean> {
  if (world.sessions.size >= MAX_SESSIONS || world.sessions.has(id)) return false
  const { events } = session.eventLog
  const event = until === undefined ? undefined : pickOf(ownEvents(events), until)
  const made = await session.fork(id, event ? { until: event.sequence } : {})
  world.counts.copy(session.id, id, event !== undefined)
  world.sessions.set(id, made)
  const expected = event
    ? foldOf(events.filter(({ sequence }) => sequence <= event.sequence))
    : before
  assert.deepEqual(await made.memory.snapshot(), expected)
  if (!event) {
    const waiting = new Map((await session.pending()).map((call) => [call.callId, call]))
    // A call that was approved in the source was approved by nobody in the fork.
    const calls = openCallsOf(before.items).map(
      (call) => waiting.get(call.callId) ?? { ...call, state: 'unknown' },
    )
    assert.deepEqual(await made.pending(), calls, 'calls of the fork')
  }
  await settled(world, made)
  assert.equal(await failureOf(session.fork(id)), 'CONFLICT', 'a fork onto a fork')
  return true
}

async function save(world: SessionWorld, session: AgentSession): Promise<void> {
  await session.save()
  const reader = SessionLogReader.of(world.process().store)
  const { memory } = await reader.read(session.id)
  assert.deepEqual(memory, await session.memory.snapshot(), 'the memory that was saved')
  assert.deepEqual(await reader.project(session.id), memory, 'the fold of what was saved')
}

/** What whoever stops a process does in each mode; with `sync` nothing is left to do. */
async function settled({ plan }: SessionWorld, session: AgentSession): Promise<void> {
  const last = session.eventLog.events.at(-1)
  // A result that came after the abort is told when nothing is saved any more; it changes nothing.
  const late = last?.type === 'ERROR' && last.payload['during'] === 'tool'
  if (plan.autosave === 'off' || late) await session.save()
  else if (plan.autosave !== 'sync') await session.flush()
}

async function resume(world: SessionWorld, old: AgentSession, known: boolean): Promise<void> {
  const { id } = old
  const before = old.eventLog.lastSequence
  const { createdAt } = old.metadata
  const { agent } = world.process()
  // Where nothing was ever done to it, nothing is stored either.
  const session = known && before > 0 ? await agent.resumeSession(id) : await agent.session(id)
  world.sessions.set(id, session)
  assert.ok(session.eventLog.lastSequence >= before, 'numbers of events went back')
  if (before > 0) assert.equal(session.metadata.createdAt, createdAt)
  if (world.plan.autosave !== 'off' || before === 0) return
  await session.save()
  assert.equal(
    await failureOf(old.save()),
    'CONFLICT',
    'a save of the session that was left behind',
  )
}

/** A process that ends without a word. What `sync` or a durable memory acknowledged is there. */
async function crash(
  world: SessionWorld,
  { id }: AgentSession,
  before: MemorySnapshot,
): Promise<boolean> {
  const { autosave, setup } = world.plan
  if (autosave === 'run' || autosave === 'step') return false
  const { agent, store } = world.process()
  const record = await store.load(id)
  const session = await agent.session(id)
  world.sessions.set(id, session)
  world.counts.copy(id, id, autosave === 'off')
  const kept = setup === 'durable' || autosave === 'sync'
  const expected = kept ? before : (record?.memory ?? { items: [] })
  assert.deepEqual(await session.memory.snapshot(), expected, 'the memory after a crash')
  assert.ok(session.eventLog.lastSequence >= (record?.events.at(-1)?.sequence ?? 0))
  return true
}

function openCallsOf(items: MemorySnapshot['items']) {
  const ids = (type: string) =>
    items.filter((item) => item.type === type).map((item) => String(item['call_id']))
  const closed = new Set(ids('function_call_output'))
  return items
    .filter((item) => item.type === 'function_call' && !closed.has(String(item['call_id'])))
    .map(({ call_id, name, arguments: args }) => ({
      callId: String(call_id),
      name: String(name),
      arguments: String(args),
    }))
}
