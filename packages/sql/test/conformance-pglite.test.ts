import { PGlite } from '@electric-sql/pglite'
import { testSessionDriver } from '@holdfast/conformance'
import { drizzle } from 'drizzle-orm/pglite'
import * as runner from 'vitest'
import { sqlDriver } from '../src/index.ts'

let pglite: PGlite | undefined

runner.afterAll(() => pglite?.close())

testSessionDriver(
  'PGlite',
  {
    async connect() {
      pglite ??= new PGlite()
      return { driver: await sqlDriver(drizzle(pglite)), close: async () => {} }
    },
    processes: 1,
  },
  runner,
)
