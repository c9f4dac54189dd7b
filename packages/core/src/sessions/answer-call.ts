import type { CallAnswer } from '../contracts/agent-runtime.ts'
import { functionCallOutput, type JsonObject } from '../contracts/item.ts'
import { HoldfastError, invalid, show, wrong } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'
import { answeredCallIds, openCalls } from '../memory/call-items.ts'
import { callStates, stateOfCall } from './pending-calls.ts'
import type { Recorder } from './recorder.ts'
import { checkOutput, noSuchCall } from './replace-output.ts'

/** Which answers a call takes: one that may have run is never run again but by `rerun`. */
const TAKES = {
  waiting: ['approve', 'reply', 'reject', 'output'],
  unknown: ['rerun', 'reject', 'output'],
} as const

const answeredAlready = (callId: string) =>
  new HoldfastError(
    'CONFLICT',
    `Call ${show(callId)} was answered already, or is gone; go on with run(null).`,
    {
      outcome: 'not-committed',
    },
  )

/**
 * Records what somebody outside says to a pending call; `reject` and `output` become its one output at once.
 * `claim` saves: where another process was faster, it throws before the memory is touched.
 */
export async function answerCall(
  recorder: Recorder,
  callId: string,
  said: CallAnswer,
  claim: () => Promise<void>,
): Promise<void> {
  const { items } = await recorder.snapshot()
  if (answeredCallIds(items).has(callId)) throw answeredAlready(callId)
  const call = openCalls(items).find((open) => open.callId === callId)
  if (!call) throw noSuchCall(callId, 'open call')
  const before = stateOfCall(callStates(recorder.publisher.log.events), callId)
  const { state, request } = before
  if (state === 'answered') throw answeredAlready(callId)
  const [kind] = Object.keys(said)
  // Nobody replies to a call that asked nothing: it would let it run.
  const takes = TAKES[state].filter((one) => one !== 'reply' || request !== undefined)
  if (!takes.some((one) => one === kind)) {
    throw invalid(
      `Call ${show(callId)} is ${state}: it takes ${takes.join(', ')}, not ${show(kind)}.`,
    )
  }
  const { publisher } = recorder
  const told = publisher.redaction.apply({ callId, answer: said }, 'ANSWERED')
  checkAnswer(told.answer)
  const output = 'reject' in said ? `Rejected: ${said.reject}` : 'output' in said && said.output
  const ok = 'output' in said
  const about = ok ? { ok } : { ok, error: 'rejected' }
  const payload = output !== false && recorder.resultPayload(call, output, about)
  publisher.record('ANSWERED', told as unknown as JsonObject)
  try {
    await claim()
  } catch (error) {
    publisher.record('ANSWERED', { callId, answer: null, state: { ...before } })
    throw error
  }
  if (!payload) return
  if (recorder.memory.update) {
    await recorder.change(
      'TOOL_RESULT',
      (current) => {
        // Every call ends with exactly one output.
        if (!openCalls(current.items).some((open) => open.callId === callId)) {
          throw answeredAlready(callId)
        }
        return { ...current, items: [...current.items, functionCallOutput(callId, payload.output)] }
      },
      () => payload,
    )
  } else await recorder.addToolOutput(call, payload.output, about, {})
  await claim()
}

/** A copy of `answer`, whose shape is right. */
export function checkAnswer(answer: unknown): CallAnswer {
  const [kind, ...more] = isRecord(answer) ? Object.keys(answer) : []
  const value = isRecord(answer) && kind !== undefined ? answer[kind] : undefined
  const ok =
    more.length === 0 &&
    (((kind === 'approve' || kind === 'rerun') && value === true) ||
      (kind === 'reject' && typeof value === 'string') ||
      (kind === 'reply' && value !== undefined) ||
      kind === 'output')
  if (!ok) {
    const kinds = '{ approve: true }, { reply }, { reject: reason }, { output } or { rerun: true }'
    throw wrong('An answer', kinds, answer)
  }
  if (kind === 'output') checkOutput(value)
  return cloneJson(answer as unknown as CallAnswer, 'answer')
}
