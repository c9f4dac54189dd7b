import {
  type AgentItem,
  functionCallOutput,
  type JsonObject,
  systemMessage,
  userMessage,
} from '../../src/index.ts'

/** Numbers from 0 to 1 that a seed repeats (xorshift32). */
export function seeded(seed: number): () => number {
  let state = (seed * 2654435761 + 88675123) >>> 0 || 1
  return () => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 2 ** 32
  }
}

export const user = userMessage
export const system = systemMessage
export const assistant = (text: string): AgentItem => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
export const call = (id: string, name = 'look', args: JsonObject = {}): AgentItem => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: JSON.stringify(args),
})
export const output = functionCallOutput
export const reasoning = (id: string): AgentItem => ({ type: 'reasoning', id, summary: [] })

const IDS = ['a', 'b', 'c', '__proto__', 'constructor', '', ' ', 7, null, undefined, {}]
const TYPES = ['function', 'custom_tool', 'computer', 'local_shell', 'apply_patch', 'foo']
const TEXTS = ['', 'yes', '😀'.repeat(150), `x${'😀'.repeat(200)}`, 'Is it done?', '\u0000']

/** An item that a memory may hold, well paired or not. */
export function hostileItem(random: () => number): AgentItem {
  const one = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const kind = random()
  const call_id = random() < 0.7 ? one(['a', 'b', 'c']) : one(IDS)
  const type = random() < 0.6 ? 'function' : one(TYPES)
  if (kind < 0.2) return { type: `${type}_call`, call_id, name: 'f', arguments: '{}' }
  if (kind < 0.4) {
    const parts = [{ type: 'input_text', text: one(TEXTS) }, { type: 'input_image' }, null]
    return { type: `${type}_call_output`, call_id, output: one([one(TEXTS), parts, {}, 3]) }
  }
  if (kind < 0.55) return { type: 'reasoning', id: one(IDS), summary: [] }
  if (kind < 0.65) return user(one(TEXTS))
  if (kind < 0.75) return assistant(one(TEXTS))
  if (kind < 0.8) return { role: one(['user', 'assistant']), content: one([TEXTS[2], null, 4]) }
  if (kind < 0.87) return { ...system(one(TEXTS)), role: one(['system', 'developer', 'tool', 5]) }
  return one<AgentItem>([
    {},
    { type: 7 as unknown as string },
    { type: 'web_search_call', id: 'ws_1' },
    { type: 'mcp_approval_request', id: one(IDS) },
    { type: 'mcp_approval_response', approval_request_id: one(IDS), approve: true },
    { type: 'tool_search_call', call_id: one([null, 'a']) },
    { type: 'tool_search_output', call_id: one([null, 'a']) },
    { type: '_call', call_id: 'a' },
    { type: '_output', call_id: 'a' },
    { type: 'unheard_of', data: { __proto__: null } },
  ])
}

const OUTPUTS: Record<string, string> = {
  tool_search_call: 'tool_search_output',
  mcp_approval_request: 'mcp_approval_response',
}
const LONE = ['web_search_call', '_call', '_output']
const isLone = (item: AgentItem) =>
  LONE.includes(String(item.type)) ||
  // A hosted call, or one that may be: those have no id and no output.
  (/^tool_search_|^foo_call$/.test(String(item.type)) && !String(item['call_id'] ?? '').trim()) ||
  (item.type === 'foo_call' && typeof item['call_id'] !== 'string')
const isOutput = (item: AgentItem) => !isLone(item) && /_output$|_response$/.test(String(item.type))
const isInput = ({ type = 'message', role }: AgentItem) =>
  type === 'message' && ['user', 'system', 'developer'].includes(role as string)

/**
 * What is wrong with the pairs of a prompt; written without the code under test. Outputs must follow their
 * calls in call order, with no input message between, and reasoning must come right before what it led to.
 */
export function faultsOf(items: readonly AgentItem[]): string[] {
  const faults: string[] = []
  let waiting: { type: string; id: unknown }[] = []
  let answering = false
  items.forEach((item, index) => {
    const type = String(item.type)
    const next = items[index + 1]
    if (type === 'reasoning' && (!next || isInput(next) || isOutput(next))) {
      faults.push(`${index}: reasoning parted from what follows`)
    }
    if (isLone(item)) return
    if (/_call$|_request$/.test(type)) {
      if (answering) faults.push(`${index}: a call between outputs`)
      const id = type === 'mcp_approval_request' ? item['id'] : item['call_id']
      if (typeof id !== 'string' || !id.trim()) faults.push(`${index}: a call without an id`)
      waiting.push({ type: OUTPUTS[type] ?? `${type}_output`, id })
    } else if (isOutput(item)) {
      const due = waiting.shift()
      const id = type === 'mcp_approval_response' ? item['approval_request_id'] : item['call_id']
      if (due?.type !== type || due.id !== id) faults.push(`${index}: an output out of place`)
      answering = waiting.length > 0
    } else if (waiting.length && (answering || isInput(item))) {
      faults.push(`${index}: a call without an output`)
      waiting = []
      answering = false
    }
  })
  if (waiting.length) faults.push('a call without an output at the end')
  return faults
}

/**
 * How much longer `work` takes for one list of 10,000 items than for ten of 1,000: about 1 where it is linear, 10
 * where it is quadratic. The best of seven rounds, as other work on the machine disturbs single ones.
 */
export function growthOf(
  listOf: (length: number) => AgentItem[],
  work: (items: AgentItem[]) => unknown,
): number {
  const large = listOf(10_000)
  const small = Array.from({ length: 10 }, () => listOf(1_000))
  const timeOf = (lists: AgentItem[][]) => {
    const start = performance.now()
    for (const list of lists) work(list)
    return performance.now() - start
  }
  return Math.min(...Array.from({ length: 7 }, () => timeOf([large]) / timeOf(small)))
}
