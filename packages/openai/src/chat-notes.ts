import type { AgentItem } from '@holdfast/core'
import { isRecord } from '@holdfast/core/model-client'

/**
 * What an endpoint said that an item of the Responses shape has no place for. It lies in the item, under
 * `providerData.openaiChat`, and goes back with it.
 */
export interface ChatNotes {
  /** The property that the reasoning came in. */
  readonly field?: string
  /** Other properties of the answer's message; on its first item. */
  readonly message?: Readonly<Record<string, unknown>>
  /** Other properties of the tool call. */
  readonly call?: Readonly<Record<string, unknown>>
}

/** The notes of an item; `undefined` where it did not come from Chat Completions, or came without any. */
export function notesOf(item: AgentItem): ChatNotes | undefined {
  const data = item['providerData']
  const notes = isRecord(data) ? data['openaiChat'] : undefined
  return isRecord(notes) ? notes : undefined
}

/** `item` with notes, where there is something to note. */
export const withNotes = (item: AgentItem, notes: ChatNotes): AgentItem =>
  Object.keys(notes).length === 0 ? item : { ...item, providerData: { openaiChat: notes } }

/** The properties but for those named; `undefined` if none of them says anything. */
export function rest(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
): Record<string, unknown> | undefined {
  const entries = Object.entries(value).filter(
    ([key, one]) =>
      !known.includes(key) && one != null && !(Array.isArray(one) && one.length === 0),
  )
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
