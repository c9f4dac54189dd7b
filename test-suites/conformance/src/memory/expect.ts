import assert from 'node:assert/strict'
import type {
  AgentItem,
  AgentMemory,
  CompressorCapable,
  MemorySnapshot,
  Persistent,
  SnapshotCapable,
} from '@holdfast/core'
import type { MemoryHarness, TestedMemory } from './memory-harness.ts'

// The shapes are spelled out here, so that the suite does not ask core whether core is right.

export const user = (text: string): AgentItem => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})

export const system = (text: string): AgentItem => ({
  type: 'message',
  role: 'system',
  content: [{ type: 'input_text', text }],
})

export const assistant = (text: string): AgentItem => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})

export const call = (callId: string): AgentItem => ({
  type: 'function_call',
  call_id: callId,
  name: 'look',
  arguments: '{}',
})

export const toolOutput = (callId: string, output: unknown): AgentItem => ({
  type: 'function_call_output',
  call_id: callId,
  output,
})

/** The first text of a message, or its `output`: what tells the suite's items apart. */
export function textOf(item: AgentItem): string {
  const [part] = Array.isArray(item['content']) ? item['content'] : [item]
  return String(part?.text ?? part?.output ?? JSON.stringify(item))
}

export const textsOf = (items: readonly AgentItem[]): string[] => items.map(textOf)

/** Memory as a whole, whether or not the snapshot has a `summary` key. */
export const plain = ({ items, summary }: MemorySnapshot) => ({ items: [...items], summary })

export async function assertItems(memory: AgentMemory, expected: readonly AgentItem[]) {
  assert.deepStrictEqual(await memory.getItems(), expected)
}

export async function assertTexts(memory: AgentMemory, expected: readonly string[]) {
  assert.deepStrictEqual(textsOf(await memory.getItems()), expected)
}

/** How a write failed. */
export interface Failure {
  readonly code: string
  readonly outcome?: string
  readonly cause?: unknown
  readonly message: string
}

/** The error of a promise that must reject with `code`, and with `outcome` where one is named. */
export async function failure(
  attempt: Promise<unknown>,
  code: string,
  outcome?: string,
): Promise<Failure> {
  const error: unknown = await attempt.then(
    () => assert.fail(`resolved, where ${code} was due`),
    (reason: unknown) => reason,
  )
  if (error instanceof assert.AssertionError) throw error
  assert.ok(error instanceof Error, `rejected with ${String(error)}, which is not an Error`)
  const found = error as Error & Failure
  assert.equal(found.code, code, `${found.code ?? error.name}: ${found.message}`)
  if (outcome !== undefined) assert.equal(found.outcome, outcome, found.message)
  return found
}

/** `memory` with the methods of `SnapshotCapable`, which it must have. */
export function whole(memory: TestedMemory): TestedMemory & SnapshotCapable {
  for (const method of ['snapshot', 'restore', 'update', 'setSummary'] as const) {
    assert.equal(typeof memory[method], 'function', `a snapshot-capable memory has ${method}()`)
  }
  return memory as TestedMemory & SnapshotCapable
}

/** `memory` with `setCompressor`, which it must have. */
export function swappable(memory: TestedMemory): TestedMemory & CompressorCapable {
  assert.equal(typeof memory.setCompressor, 'function', 'a compressing memory has setCompressor()')
  return memory as TestedMemory & CompressorCapable
}

/** `memory` with the methods of `Persistent`, which it must have. */
export function lasting(memory: TestedMemory): TestedMemory & Persistent {
  for (const method of ['adopt', 'delete', 'pin'] as const) {
    assert.equal(typeof memory[method], 'function', `a persistent memory has ${method}()`)
  }
  return memory as TestedMemory & Persistent
}

/** Opens with everything a case about whole states needs. */
export const openWhole = async (harness: MemoryHarness, id: string = harness.newId()) =>
  whole(await harness.open(id))

/** `memory` itself, and where it is persistent a fresh handle on the same id in the second process. */
export async function readersOf(
  harness: MemoryHarness,
  id: string,
  memory: TestedMemory,
): Promise<TestedMemory[]> {
  return harness.abilities.persistent ? [memory, await harness.reopen(id)] : [memory]
}

const PATIENCE_MS = 5_000

/** Waits for something that must come about without the case doing anything more for it. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `${what}: not within ${PATIENCE_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** Waits until a reader shows an item with this text. */
export const untilShown = (reader: AgentMemory, text: string) =>
  until(`another process sees ${text}`, async () => textsOf(await reader.getItems()).includes(text))
