import type { JsonValue } from './contracts/item.ts'
import { HoldfastError, kindOf } from './errors.ts'

type Key = string | number

/** What wraps items (an event, a prompt) takes some levels more than they do. */
export const WRAPPED_DEPTH = 1_020

const pathOf = (root: string, keys: readonly Key[]): string =>
  keys.reduce<string>(
    (path, key) =>
      /^[a-z_$][\w$]*$/i.test(String(key)) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`,
    root,
  )

/**
 * The JSON text of `value`, if JSON carries it without loss. `undefined` properties are dropped and `-0`
 * becomes `0`, as `JSON.stringify` does; whatever else JSON would change or reject (`Date`, `bigint`,
 * `Map`, bytes, functions, `NaN`, cycles, class instances, symbol keys, `undefined` in an array) is refused
 * with `NOT_SERIALIZABLE` and its path below `root`; so is nesting deeper than `maxDepth` levels: deeper
 * than any real item, and far from where `JSON.stringify` runs out of stack.
 */
export function jsonText(value: unknown, root: string, maxDepth = 1_000): string {
  const keys: Key[] = []
  const parents: object[] = []

  const refusal = (what: string) =>
    new HoldfastError(
      'NOT_SERIALIZABLE',
      `${pathOf(root, keys).slice(0, 300)} is ${what}; pass plain JSON.`,
      { outcome: 'not-committed' },
    )

  const below = (key: Key, child: unknown): void => {
    keys.push(key)
    check(child)
    keys.pop()
  }

  const check = (current: unknown): void => {
    if (current === null || typeof current === 'string' || typeof current === 'boolean') return
    if (Number.isFinite(current)) return
    if (typeof current !== 'object') throw refusal(kindOf(current))
    if (parents.includes(current)) throw refusal('a cycle')
    if (parents.length >= maxDepth) throw refusal('too deep')
    parents.push(current)
    if (Array.isArray(current)) {
      for (let index = 0; index < current.length; index++) below(index, current[index])
    } else {
      // Plain objects of another realm have another `Object.prototype`, whose own prototype is null too.
      const prototype = Object.getPrototypeOf(current)
      if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
        throw refusal(kindOf(current))
      if (Object.getOwnPropertySymbols(current).length) throw refusal('keyed by symbols')
      for (const key of Object.keys(current)) {
        const child = (current as Record<string, unknown>)[key]
        if (child !== undefined) below(key, child)
      }
    }
    // Also one that is hidden from `Object.keys`: `JSON.stringify` would call it.
    if (typeof (current as { toJSON?: unknown }).toJSON === 'function')
      throw refusal('made by toJSON')
    parents.pop()
  }

  check(value)
  return JSON.stringify(value)
}

/** A detached copy of `value`, which JSON must carry: see `jsonText`. */
export const cloneJson = <T>(value: T, root: string, maxDepth?: number): T =>
  JSON.parse(jsonText(value, root, maxDepth))

/** What the stored `text` says. The error of `JSON.parse` quotes some of the text, which may be an item; this one does not. */
export function parseStored(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SyntaxError('it is no JSON')
  }
}

/** A detached copy of what is JSON already. */
export const copyJson = <T>(value: T): T => JSON.parse(JSON.stringify(value))

/** True for what has string keys: neither null, nor an array, nor a primitive. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * JSON made of anything, for records of foreign objects. It loses what JSON cannot carry: `undefined`,
 * functions and symbols are left out (`null` inside an array), `NaN` and infinities are `null`, a `bigint` is
 * its digits, a `Map` or `Set` an array, bytes are `"[n bytes]"`, an error is its name, code and message, a cycle
 * is `"[circular]"`, and what throws when it is read is `"[unreadable]"`. `toJSON` is heeded.
 */
export function toJson(value: unknown, maxDepth = WRAPPED_DEPTH): JsonValue {
  const parents: object[] = []
  const visit = (current: unknown): JsonValue | undefined => {
    if (current === null || typeof current === 'string' || typeof current === 'boolean')
      return current
    if (typeof current === 'number') return Number.isFinite(current) ? current : null
    if (typeof current === 'bigint') return String(current)
    if (typeof current !== 'object') return undefined
    if (parents.includes(current)) return '[circular]'
    if (parents.length > maxDepth) return '[too deep]'
    parents.push(current)
    try {
      return ofObject(current as { toJSON?: unknown })
    } catch {
      return '[unreadable]'
    } finally {
      parents.pop()
    }
  }
  const ofObject = (current: { toJSON?: unknown }): JsonValue | undefined => {
    if (typeof current.toJSON === 'function') return visit(current.toJSON())
    if (ArrayBuffer.isView(current) || current instanceof ArrayBuffer) {
      return `[${current.byteLength} bytes]`
    }
    if (Array.isArray(current) || current instanceof Map || current instanceof Set) {
      return Array.from(current as Iterable<unknown>, (child) => visit(child) ?? null)
    }
    const { name, code, message } = current as unknown as Record<string, unknown>
    const fields = current instanceof Error ? { name, code, message } : current
    const made = Object.entries(fields).map(([key, child]) => [key, visit(child)] as const)
    return Object.fromEntries(made.filter(([, child]) => child !== undefined))
  }
  return visit(value) ?? null
}
