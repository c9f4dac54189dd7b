import { isRecord } from '../json.ts'

/** What an endpoint sent: any JSON. */
export type Fields = Readonly<Record<string, unknown>>

/** The objects of a list; none where it is no list. */
export const recordsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** The text, `''` where it is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
