import { isRecord } from '../json.ts'

const isText = (value: unknown) => typeof value === 'string'
const isObject = (value: unknown) => value === null || isRecord(value)

/** What may follow the kind in each record that is an array: nothing, or exactly what core writes. */
const SHAPES: Record<string, (rest: readonly unknown[]) => boolean> = {
  summary: ([summary]) => isText(summary),
  compact: ([result = null]) => isObject(result),
  memory: ([front = 0, items = [], tail = 0, summary = null]) =>
    Number.isSafeInteger(front) &&
    Array.isArray(items) &&
    items.every(isRecord) &&
    Number.isSafeInteger(tail) &&
    (summary === null || isText(summary)),
}

/** Throws for what is no record of core. Kinds that are not known are let through: nobody reads them. */
export function checkRecord(value: unknown): void {
  if (isRecord(value)) return
  if (!Array.isArray(value)) throw new Error('it is no JSON object or array')
  const [kind, ...rest] = value as unknown[]
  if (kind === 'encrypted') {
    throw new Error('it is encrypted; open the storage with its encryption')
  }
  const fits = Object.hasOwn(SHAPES, String(kind)) ? SHAPES[String(kind)] : undefined
  if (fits?.(rest) === false) throw new Error(`it is no record of kind ${kind}`)
}
