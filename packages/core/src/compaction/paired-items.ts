import type { AgentItem } from '../contracts/item.ts'

/** One side of a pair of items. */
export interface Side {
  /** True for the call, false for its output. */
  readonly call: boolean
  /** The same for a call and its output; `undefined` where the item has no usable id, so that nothing pairs. */
  readonly key: string | undefined
}

/** Calls that no endpoint takes without an id. Hosted ones (`web_search_call`, `mcp_call`…) have none, and no output. */
const NEEDS_ID =
  /^(function|custom_tool|computer|local_shell|shell|apply_patch)_call$|_call_output$/

/**
 * Which side of a pair `item` is; `undefined` for all that stands alone. `X_call` and `X_call_output` (or
 * `X_output`) of one `call_id` are a pair whatever X is, so types that are yet to come pair too.
 */
export function sideOf(item: AgentItem): Side | undefined {
  const { type, call_id, id, approval_request_id } = item
  const [, name, suffix] =
    /^(.+?)(_call|(?:_call)?_output|_request|_response)$/.exec(String(type)) ?? []
  if (!name || !suffix) return undefined
  const approval = suffix[1] === 'r'
  if (approval && name !== 'mcp_approval') return undefined
  const call = suffix === '_call' || suffix === '_request'
  const given = approval ? (call ? id : approval_request_id) : call_id
  if (typeof given === 'string' && given.trim()) return { call, key: `${name}:${given}` }
  return approval || NEEDS_ID.test(String(type)) ? { call, key: undefined } : undefined
}

/** True where text is an output that every endpoint takes for this call or output. */
export const takesText = ({ type }: AgentItem): boolean =>
  /^(function|custom_tool|local_shell)_call/.test(String(type))

export const isReasoning = ({ type }: AgentItem): boolean => type === 'reasoning'

/** The role of a message; `undefined` for any other item. */
export const roleOf = ({ type = 'message', role }: AgentItem): unknown =>
  type === 'message' ? role : undefined

/** True for a message that the model did not write. */
export const isInput = (item: AgentItem): boolean =>
  ['user', 'system', 'developer'].includes(roleOf(item) as string)
