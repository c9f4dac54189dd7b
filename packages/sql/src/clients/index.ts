import { betterSqlite3 } from './better-sqlite3.ts'
import type { Client } from './client.ts'
import { pglite } from './pglite.ts'

/** Every client that is supported. */
export const clients: readonly Client[] = [betterSqlite3, pglite]
