import assert from 'node:assert/strict'
import type { AgentItem, DurableAgentMemory, SessionDriver, StorageScope } from '@holdfast/core'
import type { ConformanceCase } from '../../case.ts'

export type Wrap = (driver: SessionDriver) => SessionDriver

/** What a case over core's storage works on: the rules that hold because of a driver's promises. */
export interface StorageHarness {
  /** The driver of each process, as this variant has it. */
  readonly driver: SessionDriver
  /** The same of the second process. */
  readonly other: SessionDriver
  /** A storage of its own in the first process, behind `wrap`: a new writer. */
  open(wrap?: Wrap): StorageScope
  /** The same in the second process. */
  reopen(wrap?: Wrap): StorageScope
  /** The driver's id of memory `id` of what `open` answers. */
  cellId(id: string): string
}

/** A rule that core’s storage keeps because of what a driver promises. */
export type StorageCase = ConformanceCase<StorageHarness>

/** What tests store: `{ type: 'note', text }`. */
export const note = (text: string | number): AgentItem => ({ type: 'note', text: String(text) })

export const notes = (count: number, from = 0): AgentItem[] =>
  Array.from({ length: count }, (_, index) => note(from + index))

/** The texts of the notes and messages of a memory, in order; its summary as `summary:…`. */
export async function textsOf(memory: DurableAgentMemory): Promise<string[]> {
  const { items, summary } = await memory.snapshot()
  const texts = items.map((item) => String(item['text'] ?? JSON.stringify(item)))
  return summary === undefined ? texts : [`summary:${summary}`, ...texts]
}

export async function assertTexts(
  memory: DurableAgentMemory,
  want: readonly (string | number)[],
): Promise<void> {
  assert.deepEqual(await textsOf(memory), want.map(String))
}

export const add = (memory: DurableAgentMemory, ...texts: (string | number)[]): Promise<void> =>
  memory.addOutputItems(texts.map(note))

/** What a rejected call says of itself. */
export async function failure(call: Promise<unknown>): Promise<
  | {
      readonly code?: unknown
      readonly outcome?: unknown
      readonly message: string
    }
  | undefined
> {
  try {
    await call
    return undefined
  } catch (error) {
    return error as Error
  }
}
