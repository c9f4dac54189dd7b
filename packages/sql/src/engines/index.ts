import type { Engine } from './engine.ts'
import { mysql } from './mysql.ts'
import { pglite } from './pglite.ts'
import { postgres } from './postgres.ts'
import { sqlite } from './sqlite.ts'

/** Every engine that a URL can name. */
export const engines: readonly Engine[] = [sqlite, pglite, postgres, mysql]
