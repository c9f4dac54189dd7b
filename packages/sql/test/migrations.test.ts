import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlDriver, sqlStorage } from '../src/index.ts'
import { type Engine, pgliteEngine, sqliteEngine } from './support/engines.ts'

const require = createRequire(import.meta.url)
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
// Below node_modules, from where the schema files find drizzle-orm as a user's do.
let folder: string

beforeAll(() => {
  mkdirSync(here('../node_modules/.cache'), { recursive: true })
  folder = mkdtempSync(here('../node_modules/.cache/migrations-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs drizzle-kit as a user does: a schema file that re-exports the tables, `generate`, the SQL it writes. */
function generate(dialect: 'sqlite' | 'postgresql', name: string, schema: string): string[] {
  const place = join(folder, name)
  mkdirSync(place)
  // A user's file imports the package; here it is the source.
  const built = here('../src/schema.ts')
  writeFileSync(
    join(place, 'schema.ts'),
    schema.replace("'@holdfast/sql/schema'", JSON.stringify(built)),
  )
  execFileSync(
    process.execPath,
    [
      join(dirname(require.resolve('drizzle-kit')), 'bin.cjs'),
      'generate',
      `--dialect=${dialect}`,
      '--schema=schema.ts',
      '--out=out',
    ],
    {
      cwd: place,
      env: { ...process.env, TSX_TSCONFIG_PATH: here('../tsconfig.json') },
      stdio: 'pipe',
    },
  )
  return readdirSync(join(place, 'out'))
    .filter((file) => file.endsWith('.sql'))
    .flatMap((file) =>
      readFileSync(join(place, 'out', file), 'utf8').split('--> statement-breakpoint'),
    )
}

async function worksOn(engine: Engine, table?: string): Promise<void> {
  const storage = await sqlStorage(engine.db, { setup: false, ...(table && { table }) })
  const memory = storage.memory('migrated')
  await memory.addUserInput('one')
  await memory.addOutputItems([{ type: 'message' }, { type: 'reasoning' }])
  expect(await memory.getItems()).toHaveLength(3)
  await memory.clear()
  expect(await storage.deleteMemory('migrated')).toBe(true)
}

describe('a migration that drizzle-kit generates from the exported tables', () => {
  it('makes the tables for SQLite that setup makes', async () => {
    const statements = generate(
      'sqlite',
      'sqlite',
      "import { sqliteTables } from '@holdfast/sql/schema'\nexport const { sessions, entries } = sqliteTables()\n",
    )
    const migrated = sqliteEngine()
    for (const text of statements) await migrated.query(text)
    await worksOn(migrated)
    const setUp = sqliteEngine()
    await sqlDriver(setUp.db)
    const columns = (engine: Engine) =>
      engine.query(`SELECT t.name AS "table", c.cid, c.name, lower(c.type) AS type, c."notnull", c.dflt_value, c.pk
        FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.cid`)
    expect(await columns(migrated)).toEqual(await columns(setUp))
    const unique = (engine: Engine) =>
      engine.query(`SELECT t.name AS "table", i."unique", c.name FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
        WHERE t.type = 'table' ORDER BY t.name, c.name`)
    expect(await unique(migrated)).toEqual(await unique(setUp))
    for (const engine of [migrated, setUp]) await engine.close()
  })

  it('makes the tables for PostgreSQL that setup makes, in a schema and without one', async () => {
    const engine = await pgliteEngine()
    const plain = generate(
      'postgresql',
      'pg',
      "import { pgTables } from '@holdfast/sql/schema'\nexport const { sessions, entries } = pgTables('migrated')\n",
    )
    const inSchema = generate(
      'postgresql',
      'pg-schema',
      "import { pgTables } from '@holdfast/sql/schema'\nexport const { schema, sessions, entries } = pgTables('mine.migrated')\n",
    )
    for (const text of [...plain, ...inSchema]) await engine.query(text)
    await worksOn(engine, 'migrated')
    await worksOn(engine, 'mine.migrated')
    // Setup makes a schema too, and finds what a migration made.
    await sqlDriver(engine.db, { table: 'by_setup' })
    await sqlDriver(engine.db, { table: 'theirs.by_setup' })
    await worksOn(engine, 'theirs.by_setup')
    await sqlDriver(engine.db, { table: 'mine.migrated' })

    const columns = (schema: string, table: string) =>
      engine.query(
        `SELECT replace(table_name, $2, '') AS part, ordinal_position, column_name, data_type, is_nullable,
            is_identity, identity_generation, collation_name, column_default
          FROM information_schema.columns WHERE table_schema = $1 AND table_name LIKE $2 || '%' ORDER BY 1, 2`,
        schema,
        table,
      )
    const keys = (schema: string, table: string) =>
      engine.query(
        `SELECT replace(k.table_name, $2, '') AS part, c.constraint_type, k.column_name, k.ordinal_position
          FROM information_schema.table_constraints c JOIN information_schema.key_column_usage k USING (constraint_schema, constraint_name)
          WHERE k.table_schema = $1 AND k.table_name LIKE $2 || '%' ORDER BY 1, 2, 4`,
        schema,
        table,
      )
    for (const look of [columns, keys]) {
      const expected = await look('public', 'by_setup')
      expect(expected.length).toBeGreaterThan(2)
      expect(await look('public', 'migrated')).toEqual(expected)
      expect(await look('mine', 'migrated')).toEqual(expected)
      expect(await look('theirs', 'by_setup')).toEqual(expected)
    }
    await engine.close()
  })
})
