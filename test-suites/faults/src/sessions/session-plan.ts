import type {
  AgentInput,
  AutosaveMode,
  CallAnswer,
  ContextBudget,
  PendingCall,
  ScriptedTurn,
} from '@holdfast/core'
import { functionCallOutput, systemMessage, userMessage } from '@holdfast/core'
import type { Random } from '../random.ts'

/** Where memories and sessions live. */
export type Setup = 'in-memory' | 'in-memory, durable store' | 'durable'

export const SETUPS: readonly Setup[] = ['in-memory', 'in-memory, durable store', 'durable']

/** What one call tells its tool: see `sessionTools`. */
export interface CallOrders {
  /** No other call has it: by it executions are counted. */
  readonly nonce: string
  /** How many turns of the event loop it takes. No two calls of one batch take as many. */
  readonly ticks: number
  readonly text: string
  /** What `meddle` does to the session from within the run. */
  readonly act?: 'save' | 'snapshot' | 'compact' | 'replace' | 'fork'
  /** How often `ask` asks. */
  readonly times?: number
}

/**
 * One thing done to a session. Numbers from 0 to 1 pick among what is there when its turn comes, so that
 * equal states mean equal deeds.
 */
export type SessionOperation = { readonly session: number } & (
  | {
      readonly type: 'run'
      readonly input: AgentInput
      readonly turns: readonly (ScriptedTurn | 'fail')[]
      readonly onPending: 'error' | 'close' | 'input'
      readonly streamed: boolean
    }
  | { readonly type: 'answer'; readonly pick: number; readonly answer: number }
  | { readonly type: 'goOn'; readonly turns: readonly ScriptedTurn[] }
  | { readonly type: 'compact'; readonly policy: 'latest' | 'structured' | 'none' }
  | { readonly type: 'replace'; readonly pick: number; readonly text: string }
  | { readonly type: 'keep' }
  | { readonly type: 'restore'; readonly pick: number; readonly memoryOnly: boolean }
  | { readonly type: 'import'; readonly id: string }
  | { readonly type: 'fork'; readonly id: string; readonly until: number | undefined }
  | { readonly type: 'undo' | 'clear' | 'save' }
  | { readonly type: 'trim'; readonly pick: number }
  | { readonly type: 'attributes'; readonly value: number }
  | { readonly type: 'resume'; readonly known: boolean }
  | { readonly type: 'crash' }
)

export interface SessionPlan {
  readonly seed: number
  readonly setup: Setup
  readonly autosave: AutosaveMode
  readonly projector: 'default' | 'typeAware'
  readonly budget: ContextBudget
  /** Items at which a run compacts by itself; none where undefined. */
  readonly compactAt: number | undefined
  readonly compactBy: 'latest' | 'structured'
  readonly redacted: boolean
  readonly operations: readonly SessionOperation[]
}

const OPERATIONS = {
  run: 30,
  answer: 26,
  goOn: 10,
  compact: 5,
  replace: 6,
  keep: 8,
  restore: 12,
  import: 1,
  fork: 6,
  undo: 5,
  clear: 2,
  save: 4,
  trim: 4,
  attributes: 2,
  resume: 12,
  crash: 4,
} as const

const TOOLS = {
  work: 30,
  fail: 8,
  parts: 6,
  ask: 14,
  risky: 14,
  meddle: 12,
  stop: 2,
  nope: 3,
  broken: 3,
} as const

export const MOST_OPERATIONS = 16

/** Everything that a sequence does, from one seed. */
export function sessionPlan(random: Random, seed: number): SessionPlan {
  let count = 0
  const name = (prefix: string) => `${prefix}${count++}`

  const calls = () => {
    const size = Number(random.weighted({ 1: 5, 2: 3, 3: 2, 4: 1 }))
    const first = random.integer(0, size - 1)
    const step = random.pick([1, size - 1])
    return Array.from({ length: size }, (_, index) => {
      const kind = random.weighted(TOOLS)
      const orders: CallOrders = {
        nonce: name('n'),
        ticks: 1 + ((first + step * index) % size),
        text: random.chance(0.2) ? 'secret-7 🙂' : `result ${index}`,
        ...(kind === 'meddle' && {
          act: random.pick(['save', 'snapshot', 'compact', 'replace', 'fork'] as const),
        }),
        ...(kind === 'ask' && { times: random.integer(1, 2) }),
      }
      const callId = random.weighted({ own: 6, none: 2, repeated: 2 })
      return {
        name: kind === 'broken' ? 'work' : kind,
        arguments: kind === 'broken' ? `{"nonce": "${orders.nonce}"` : { ...orders },
        ...(callId === 'own' && { callId: name('call') }),
        ...(callId === 'repeated' && { callId: 'call_0' }),
      }
    })
  }

  const turn = (last: boolean): ScriptedTurn => ({
    items: [
      ...(random.chance(0.35)
        ? [{ type: 'reasoning', id: name('rs'), summary: [], encrypted_content: 'x' }]
        : []),
      ...(random.chance(0.06) ? [{ type: 'web_search_call', id: name('ws'), status: 'done' }] : []),
    ],
    ...(last || random.chance(0.3) ? { text: name('answer ') } : {}),
    calls: last ? [] : calls(),
    usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
  })

  const turns = (): ScriptedTurn[] => {
    const steps = Number(random.weighted({ 0: 3, 1: 5, 2: 3, 3: 1 }))
    return [...Array.from({ length: steps }, () => turn(false)), turn(true)]
  }

  const input = (): AgentInput => {
    const text = random.chance(0.15) ? name('secret-9 ') : name('question ')
    const kind = random.weighted({ text: 8, item: 2, items: 2, pair: 1 })
    if (kind === 'text') return text
    if (kind === 'item') return userMessage(text)
    if (kind === 'items') return [systemMessage(name('rule ')), userMessage(text)]
    const callId = name('given')
    return [
      { type: 'function_call', call_id: callId, name: 'work', arguments: '{}' },
      functionCallOutput(callId, 'given'),
      userMessage(text),
    ]
  }

  const operation = (): SessionOperation => {
    const session = random.next()
    const type = random.weighted(OPERATIONS)
    switch (type) {
      case 'run': {
        const failing = random.chance(0.06)
        const made: (ScriptedTurn | 'fail')[] = turns()
        if (failing) made.splice(random.integer(0, made.length - 1), 0, 'fail')
        return {
          session,
          type,
          input: input(),
          turns: made,
          onPending: random.weighted({ error: 2, close: 2, input: 2 }),
          streamed: random.chance(0.3),
        }
      }
      case 'answer':
        return { session, type, pick: random.next(), answer: random.next() }
      case 'goOn':
        return { session, type, turns: turns() }
      case 'compact':
        return { session, type, policy: random.weighted({ latest: 4, structured: 5, none: 1 }) }
      case 'replace':
        return { session, type, pick: random.next(), text: name('replaced ') }
      case 'restore':
        return { session, type, pick: random.next(), memoryOnly: random.chance(0.5) }
      case 'import':
        return { session, type, id: name('import') }
      case 'fork':
        return {
          session,
          type,
          id: name('fork'),
          until: random.chance(0.5) ? random.next() : undefined,
        }
      case 'trim':
        return { session, type, pick: random.next() }
      case 'attributes':
        return { session, type, value: random.integer(0, 99) }
      case 'resume':
        return { session, type, known: random.chance(0.5) }
      default:
        return { session, type }
    }
  }

  const setup = random.pick(SETUPS)
  const autosave = random.pick(['off', 'run', 'step', 'sync'] as const)
  return {
    seed,
    setup,
    autosave,
    projector: random.pick(['default', 'typeAware'] as const),
    budget: random.chance(0.4)
      ? {}
      : {
          maxItems: random.integer(1, 24),
          ...(random.chance(0.3) && { pinnedPrefixItems: random.integer(0, 3) }),
          ...(random.chance(0.3) && { maxRecentToolResults: random.integer(0, 4) }),
          ...(random.chance(0.3) && { trimOldReasoning: true }),
          ...(random.chance(0.2) && { maxApproxChars: random.integer(100, 4_000) }),
        },
    compactAt: random.chance(0.3) ? random.integer(6, 20) : undefined,
    compactBy: random.pick(['latest', 'structured'] as const),
    redacted: random.chance(0.4),
    operations: Array.from({ length: random.integer(4, MOST_OPERATIONS) }, operation),
  }
}

/** The answer that a call in that state gets: each that it takes, and now and then one that it does not. */
export function answerFor({ state, request }: PendingCall, pick: number): CallAnswer {
  const first: CallAnswer = state === 'waiting' ? { approve: true } : { rerun: true }
  // Only a call that asked takes a reply.
  const second = request === undefined ? first : { reply: { said: Math.round(pick * 1_000) } }
  if (pick < 0.3) return first
  if (pick < 0.6) return second
  if (pick < 0.78) return { reject: 'no' }
  if (pick < 0.95) return { output: 'said by hand' }
  return state === 'waiting' ? { rerun: true } : { approve: true }
}
