import type { Engine } from './engine.ts'
import { pglite } from './pglite.ts'
import { sqlite } from './sqlite.ts'

/** Every engine that a URL can name. */
export const engines: readonly Engine[] = [sqlite, pglite]
