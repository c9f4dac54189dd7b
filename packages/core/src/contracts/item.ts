/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject
/** A JSON object. `undefined` properties are dropped, as `JSON.stringify` does. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/**
 * One JSON object that a model can be shown: a message, a `function_call`, a `function_call_output`,
 * a `reasoning` item… in the shape of OpenAI's Responses API. Types that Holdfast does not know pass
 * through untouched.
 */
export interface AgentItem {
  /** What kind of item it is; an item without one passes through, too. */
  readonly type?: string
  readonly [key: string]: unknown
}

const message = (role: string, text: string): AgentItem => ({
  type: 'message',
  role,
  content: [{ type: 'input_text', text }],
})

/** `{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }` */
export const userMessage = (text: string): AgentItem => message('user', text)

/** `{ type: 'message', role: 'system', content: [{ type: 'input_text', text }] }` */
export const systemMessage = (text: string): AgentItem => message('system', text)

/** `{ type: 'function_call_output', call_id: callId, output }`; `output` is text or content parts. */
export const functionCallOutput = (
  callId: string,
  output: string | readonly AgentItem[],
): AgentItem => ({ type: 'function_call_output', call_id: callId, output })
