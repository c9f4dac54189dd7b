import type { AgentItem } from '../contracts/item.ts'
import { HoldfastError, show } from '../errors.ts'
import { answeredCallIds, type FilledCall, openCalls } from '../memory/call-items.ts'
import { readItems } from './read-items.ts'
import { placeOf, type Run } from './run.ts'
import { runTools } from './run-tools.ts'

const ABANDONED = 'Abandoned: the conversation went on without this call; its effect is unknown.'

/**
 * Stores the input, durable before the first model call, or goes on with the calls that were answered.
 * RULE: every stored call ends with exactly one output, so new input does not pass by those that have none.
 * Answers whether some may have none still.
 */
export async function beginRun(run: Run, input: AgentItem[] | undefined): Promise<boolean> {
  const items = await readItems(run)
  const open = openCalls(items)
  const given = answeredCallIds(input ?? [])
  const closed = answeredCallIds(items)
  for (const callId of given) {
    if (closed.has(callId)) throw conflict(callId)
  }
  if (run.options.onPending === 'close') await abandon(run, open, given)
  else if (input) refusePending(open.filter(({ callId }) => !given.has(callId)))
  if (!input) {
    await resume(run, open)
    return open.length > 0
  }
  await run.host.addUserInput(input, placeOf(run))
  // A call that came in with the input has an output neither here nor there.
  const known = new Set([...open, ...openCalls(items)].map(({ callId }) => callId))
  await abandon(run, openCalls(input), new Set([...known, ...closed]))
  await run.host.saved('input')
  return false
}

/** Runs the calls that somebody outside has let run since. */
async function resume(run: Run, open: readonly FilledCall[]): Promise<void> {
  const ready = open.filter(({ callId }) => run.host.callState(callId).state === 'answered')
  if (ready.length > 0) await runTools(run, ready, 0, true)
}

async function abandon(
  run: Run,
  calls: readonly FilledCall[],
  except: ReadonlySet<string>,
): Promise<void> {
  for (const call of calls) {
    const { callId } = call
    if (except.has(callId) || run.host.callState(callId).state === 'answered') continue
    run.abort.check()
    const about = { ok: false, error: 'abandoned' }
    await run.host.addToolOutput(call, ABANDONED, about, placeOf(run))
  }
}

function refusePending(pending: readonly FilledCall[]): void {
  if (pending.length === 0) return
  const names = pending.map(({ callId, name }) => `${show(callId)} (${show(name)})`).join(', ')
  throw new HoldfastError(
    'PENDING_CALLS',
    `Calls wait for an output: ${names}. Answer them (session.answer) and run(null), give their outputs as input, or pass onPending: 'close'.`,
    { outcome: 'not-committed' },
  )
}

const conflict = (callId: string) =>
  new HoldfastError('CONFLICT', `Call ${show(callId)} has an output already.`, {
    outcome: 'not-committed',
  })
