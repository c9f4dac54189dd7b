import type { AgentItem } from '../contracts/item.ts'
import { cloneJson, isRecord } from '../json.ts'
import { ensure } from './check.ts'

// Registered, so that the ESM and the CommonJS copy of this package know each other's content.
const PARTS = Symbol.for('holdfast.content')

/** A tool's answer as content parts. */
export interface ToolContent {
  /** The parts, as `content` copied them. */
  readonly [PARTS]: readonly AgentItem[]
}

/**
 * Makes a tool answer content parts (text, images, files) instead of text: `return content([part])`.
 * `INVALID_ARGUMENT` where `parts` is not an array of objects, `NOT_SERIALIZABLE` where JSON cannot carry one.
 */
export function content(parts: readonly AgentItem[]): ToolContent {
  const ok = Array.isArray(parts) && parts.every(isRecord)
  ensure(ok, 'content', 'an array of content parts', parts)
  return { [PARTS]: cloneJson(parts, 'content') }
}

/**
 * What memory stores for the value that a tool returned: a string as it is, `undefined` as `''`,
 * content parts as parts, anything else as JSON text. Throws for what JSON cannot carry.
 */
export function toToolOutput(value: unknown): string | readonly AgentItem[] {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  // Checked again: another version of this package may have made it.
  if (isRecord(value) && PARTS in value) return content(value[PARTS] as AgentItem[])[PARTS]
  // A `toJSON` may answer nothing.
  return JSON.stringify(value, refuseLoss) ?? ''
}

/** Runs after `toJSON`, so a `Date` is text here; what is left and would silently change is refused. */
function refuseLoss(key: string, value: unknown): unknown {
  // An object is looked at without its properties: each of them has its own turn.
  const bare = isRecord(value) ? Object.create(Object.getPrototypeOf(value)) : value
  if (value !== undefined && !Array.isArray(value)) cloneJson(bare, key || 'The output')
  return value
}
