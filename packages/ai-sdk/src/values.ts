export type Fields = Readonly<Record<string, unknown>>

/** True for what has string keys: neither null, nor an array, nor a primitive. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The objects of a list; none where it is no list. */
export const recordsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** The text, `''` where it is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
