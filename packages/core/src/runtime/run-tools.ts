import type { CallState } from '../contracts/agent-runtime.ts'
import type { AgentItem } from '../contracts/item.ts'
import { HoldfastError, show } from '../errors.ts'
import { type FilledCall, openCalls } from '../memory/call-items.ts'
import { readItems } from './read-items.ts'
import { placeOf, type Run } from './run.ts'
import { type CallOutcome, executeCall, prepareCall } from './tool-call.ts'

const ABORTED = 'Aborted: the run was stopped before this tool finished; its effect is unknown.'

const FRESH: CallState = { state: 'answered', approved: false, replies: [] }

type Stored = Extract<CallOutcome, { readonly output: unknown }>

const aborted: Stored = { output: ABORTED, ok: false, error: 'aborted' }

/**
 * All calls at once; each output is stored as it completes. The first error waits for the other calls. Answers
 * whether some wait for somebody outside.
 * `resumed`: calls of an earlier run that were answered since.
 */
export async function runTools(
  run: Run,
  calls: readonly FilledCall[],
  step: number,
  resumed = false,
): Promise<boolean> {
  const { host, abort } = run
  const place = placeOf(run, resumed ? undefined : step)
  const errors: unknown[] = []
  const waiting: FilledCall[] = []

  const store = async (call: FilledCall, { output, ok, error }: Stored) => {
    await host.addToolOutput(call, output, { ok, error }, place)
    await abort.race(() => host.saved('output'))
  }

  const late = (call: FilledCall) => {
    const message = 'A result that came after the abort was dropped.'
    const { callId, name } = call
    host.publish('ERROR', { code: 'ABORTED', message, during: 'tool', callId, name }, place)
  }

  const settle = async (call: FilledCall): Promise<CallOutcome> => {
    const { callId, name } = call
    const state = resumed ? host.callState(callId) : FRESH
    const ready = await prepareCall(run, call, step, state)
    if (!('tool' in ready)) return ready
    host.publish('TOOL_CALL', { callId, name, arguments: call.arguments }, place)
    // Where a kill may come, it must not look as if this call had never begun.
    await host.saved(resumed ? 'claim' : 'tool')
    abort.check()
    const running = executeCall(run, call, step, ready)
    // Whatever it still returns after the abort is dropped.
    running.then(() => abort.signal.aborted && late(call))
    return running
  }

  const runCall = async (call: FilledCall) => {
    try {
      const outcome = await abort.race(() => settle(call)).catch(unlessAborted(run))
      if ('output' in outcome) return await store(call, outcome)
      const { callId, name } = call
      const { request } = outcome
      host.publish(
        'INTERRUPTED',
        { callId, name, ...(request !== undefined && { request }) },
        place,
      )
      waiting.push(call)
    } catch (error) {
      errors.push(error)
    }
  }

  await Promise.all(calls.map(runCall))
  if (abort.signal.aborted) {
    // Nobody waits for an answer any more: every call ends with exactly one output.
    for (const call of waiting) await store(call, aborted).catch((error) => errors.push(error))
  }
  if (errors.length > 0) throw errors[0]
  abort.check()
  if (waiting.length > 0) refuseLost(waiting, await readItems(run))
  return waiting.length > 0
}

/** A compressor that drops a call which waits would let the run go on as if it had never been made. */
function refuseLost(waiting: readonly FilledCall[], items: readonly AgentItem[]): void {
  const open = new Set(openCalls(items).map(({ callId }) => callId))
  const lost = waiting.find(({ callId }) => !open.has(callId))
  if (!lost) return
  throw new HoldfastError(
    'PENDING_CALLS',
    `Call ${show(lost.callId)} (${show(lost.name)}) waits for an answer, and the memory's compressor dropped it; let it keep more items.`,
  )
}

/** Only the abort gives the call an output here; where a save failed, it stays open. */
const unlessAborted =
  ({ abort }: Run) =>
  (error: unknown): Stored => {
    if (!abort.signal.aborted) throw error
    return aborted
  }
