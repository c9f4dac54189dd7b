import type { AgentItem } from '../contracts/item.ts'
import { HoldfastError, show } from '../errors.ts'
import { answeredCallIds, type FilledCall, openCalls, usedCallIds } from '../memory/call-items.ts'
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
  const closed = answeredCallIds(items)
  const given = answeredBy(input ?? [], closed)
  const rest = open.filter(({ callId }) => !given.has(callId))
  // Without input the answered ones run now; beside input nobody would.
  const ready = input ? [] : rest.filter((call) => isAnswered(run, call))
  if (run.options.onPending === 'close') {
    const waiting = rest.filter((call) => !ready.includes(call))
    await abandon(run, waiting)
  } else if (input) refusePending(rest)
  if (ready.length > 0) await runTools(run, ready, 0, true)
  if (input) {
    await run.host.addUserInput(input, placeOf(run))
    // A call that came in with the input has an output neither here nor there.
    const known = new Set([...usedCallIds(items), ...closed])
    await abandon(
      run,
      openCalls(input).filter(({ callId }) => !known.has(callId)),
    )
  }
  await run.abort.race(() => run.host.saved('input'))
  return !input && open.length > 0
}

const isAnswered = ({ host }: Run, { callId }: FilledCall): boolean =>
  host.callState(callId).state === 'answered'

/** The ids of the outputs that `input` brings; `CONFLICT` for a second output of a call. */
function answeredBy(input: readonly AgentItem[], closed: ReadonlySet<string>): Set<string> {
  const given = new Set<string>()
  for (const callId of input.flatMap((item) => [...answeredCallIds([item])])) {
    if (closed.has(callId) || given.has(callId)) throw conflict(callId)
    given.add(callId)
  }
  return given
}

async function abandon(run: Run, calls: readonly FilledCall[]): Promise<void> {
  for (const call of calls) {
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
