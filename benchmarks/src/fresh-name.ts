import { randomBytes } from 'node:crypto'

/** A name for tables, keys or collections that nobody has used: a server that was found may hold older ones. */
export const freshName = (): string => `bench_${randomBytes(4).toString('hex')}`
