import { HoldfastError, kindOf } from './errors.ts'

type Key = string | number

/** Deeper than any real item, and far from where `JSON.stringify` runs out of stack. */
const MAX_DEPTH = 1_000

function pathOf(root: string, keys: readonly Key[]): string {
  return keys.reduce<string>(
    (path, key) =>
      typeof key === 'number'
        ? `${path}[${key}]`
        : /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)
          ? `${path}.${key}`
          : `${path}[${JSON.stringify(key)}]`,
    root,
  )
}

/**
 * A copy of `value` that JSON carries without loss. `undefined` properties are dropped and `-0` becomes
 * `0`, as `JSON.stringify` does; whatever else JSON would change or reject (`Date`, `bigint`, `Map`,
 * bytes, functions, `NaN`, cycles, class instances, symbol keys, `undefined` in an array) is refused with
 * `NOT_SERIALIZABLE` and its path below `root`; so is nesting deeper than 1,000 levels.
 */
export function cloneJson<T>(value: T, root: string): T {
  const keys: Key[] = []
  const parents: object[] = []

  const refuse = (what: string): never => {
    const path = pathOf(root, keys)
    throw new HoldfastError(
      'NOT_SERIALIZABLE',
      `${path.slice(0, 300)} is ${what}, which cannot be stored; pass plain JSON.`,
      { outcome: 'not-committed' },
    )
  }

  const walk = (current: unknown): unknown => {
    if (current === null || typeof current === 'string' || typeof current === 'boolean') {
      return current
    }
    if (typeof current === 'number') {
      if (!Number.isFinite(current)) refuse(kindOf(current))
      return current === 0 ? 0 : current
    }
    if (typeof current !== 'object') return refuse(kindOf(current))
    if (parents.includes(current)) refuse('part of a cycle')
    if (parents.length >= MAX_DEPTH) refuse(`nested deeper than ${MAX_DEPTH} levels`)

    const isArray = Array.isArray(current)
    if (!isArray) {
      // Plain objects of another realm have another `Object.prototype`, whose own prototype is null too.
      const prototype = Object.getPrototypeOf(current)
      if (prototype !== null && Object.getPrototypeOf(prototype) !== null) refuse(kindOf(current))
      if (Object.getOwnPropertySymbols(current).length > 0) refuse('an object with symbol keys')
    }

    parents.push(current)
    let copy: unknown
    if (isArray) {
      copy = Array.from({ length: current.length }, (_, index) => {
        keys.push(index)
        const item = walk(current[index])
        keys.pop()
        return item
      })
    } else {
      const target: Record<string, unknown> = {}
      for (const key of Object.keys(current)) {
        const raw = (current as Record<string, unknown>)[key]
        if (raw === undefined) continue
        keys.push(key)
        const item = walk(raw)
        keys.pop()
        if (key === '__proto__') {
          // Plain assignment would change the prototype of the copy.
          Object.defineProperty(target, key, {
            value: item,
            enumerable: true,
            configurable: true,
            writable: true,
          })
        } else {
          target[key] = item
        }
      }
      copy = target
    }
    parents.pop()
    return copy
  }

  return walk(value) as T
}

/** True for what has string keys: neither null, nor an array, nor a primitive. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
