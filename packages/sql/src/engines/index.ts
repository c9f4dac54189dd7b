import type { Engine } from './engine.ts'
import { libsql } from './libsql.ts'
import { mysql } from './mysql.ts'
import { pglite } from './pglite.ts'
import { postgres } from './postgres.ts'
import { sqlite } from './sqlite.ts'

/** Every engine that a URL can name. */
export const engines: readonly Engine[] = [sqlite, libsql, pglite, postgres, mysql]
