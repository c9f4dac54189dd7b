import { betterSqlite3 } from './better-sqlite3.ts'
import type { Client } from './client.ts'
import { libsql } from './libsql.ts'
import { mysql2 } from './mysql2.ts'
import { nodePostgres } from './node-postgres.ts'
import { nodeSqlite } from './node-sqlite.ts'
import { pglite } from './pglite.ts'
import { postgresJs } from './postgres-js.ts'

/** Every client that is supported. */
export const clients: readonly Client[] = [
  betterSqlite3,
  nodeSqlite,
  libsql,
  pglite,
  nodePostgres,
  postgresJs,
  mysql2,
]
