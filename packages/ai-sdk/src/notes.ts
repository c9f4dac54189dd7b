import type { AgentItem } from '@holdfast/core'
import { type Fields, isRecord } from '@holdfast/core/model-client'

/**
 * What a provider said that an item of the Responses shape has no place for. It lies in the item, under
 * `providerData.aiSdk`, and goes back to the provider with it.
 */
export interface AiSdkNotes {
  /** The part's `providerMetadata`; `providerOptions` when it goes back. */
  readonly providerMetadata?: Fields
  /** A part that items have no word for (a file, a call of a hosted tool): as it is. */
  readonly part?: Fields
  /** Where a text comes from; shown to nobody but who reads the items. */
  readonly sources?: readonly Fields[]
}

/** The notes of an item; none where another client made it. */
export function notesOf(item: AgentItem): AiSdkNotes {
  const data = item['providerData']
  const notes = isRecord(data) ? data['aiSdk'] : undefined
  return isRecord(notes) ? notes : {}
}

/** True for an item that this client made of a part other than a plain text or call. */
export const isNoted = (item: AgentItem): boolean =>
  isRecord(item['providerData']) && isRecord(item['providerData']['aiSdk'])

export const withNotes = (item: AgentItem, notes: AiSdkNotes): AgentItem => ({
  ...item,
  providerData: { aiSdk: notes },
})
