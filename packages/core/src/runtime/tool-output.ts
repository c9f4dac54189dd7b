import type { AgentItem } from '../contracts/item.ts'
import { invalid, show } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'

// Registered, so that the ESM and the CommonJS copy of this package know each other's content.
const PARTS = Symbol.for('holdfast.content')

/** A tool's answer as content parts. */
export interface ToolContent {
  readonly [PARTS]: readonly AgentItem[]
}

/**
 * Makes a tool answer content parts (text, images, files) instead of text: `return content([part])`.
 * `INVALID_ARGUMENT` where `parts` is not an array of objects, `NOT_SERIALIZABLE` where JSON cannot carry one.
 */
export function content(parts: readonly AgentItem[]): ToolContent {
  if (!Array.isArray(parts) || !parts.every(isRecord)) {
    throw invalid(`content() takes an array of content parts, not ${show(parts)}.`)
  }
  return { [PARTS]: cloneJson(parts, 'parts') }
}

/**
 * What memory stores for the value that a tool returned: a string as it is, `undefined` as `''`,
 * content parts as parts, anything else as JSON text. Throws for what JSON cannot carry.
 */
export function toToolOutput(value: unknown): string | readonly AgentItem[] {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  if (isRecord(value) && PARTS in value) return value[PARTS] as readonly AgentItem[]
  return JSON.stringify(value, refuseLoss)
}

/** Runs after `toJSON`, so a `Date` is text here; what is left and would silently change is refused. */
function refuseLoss(key: string, value: unknown): unknown {
  const kept =
    typeof value === 'number'
      ? Number.isFinite(value)
      : typeof value === 'object'
        ? value === null || Array.isArray(value) || isPlain(value)
        : ['string', 'boolean', 'undefined'].includes(typeof value)
  if (kept) return value
  const what = isRecord(value) ? `an instance of ${value.constructor.name}` : String(value)
  throw new TypeError(
    `the tool returned ${what}${key && ` as ${show(key)}`}, which JSON cannot carry.`,
  )
}

/** Plain objects of another realm have another `Object.prototype`, whose own prototype is null too. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
