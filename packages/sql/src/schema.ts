import { invalid } from '@holdfast/core/adapter'
import {
  bigint as mysqlBigint,
  customType as mysqlCustomType,
  primaryKey as mysqlPrimaryKey,
  mysqlSchema,
  mysqlTable,
} from 'drizzle-orm/mysql-core'
import {
  bigint,
  customType,
  primaryKey as pgPrimaryKey,
  pgSchema,
  pgTable,
  text as pgText,
} from 'drizzle-orm/pg-core'
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { tableNames } from './table-name.ts'

/**
 * The SQLite tables as drizzle definitions, for a `drizzle-kit` schema file:
 * `export const { sessions, entries } = sqliteTables()`.
 *
 * @param table As the `table` option of `openSql`, `'holdfast'` by default, but without a schema: `INVALID_ARGUMENT`.
 */
export function sqliteTables(table?: string) {
  const names = tableNames(table)
  if (names.schema !== undefined) {
    throw invalid(
      `table is ${JSON.stringify(table)}: drizzle-kit knows no schemas in SQLite; leave out ${JSON.stringify(`${names.schema}.`)}`,
    )
  }
  return {
    sessions: sqliteTable(names.sessions, {
      session: integer('session').primaryKey().notNull(),
      id: text('id').notNull().unique(),
      revision: text('revision').notNull(),
      head: text('head').notNull(),
      first: integer('first').notNull(),
      next: integer('next').notNull(),
    }),
    entries: sqliteTable(
      names.entries,
      {
        session: integer('session').notNull(),
        n: integer('n').notNull(),
        body: text('body').notNull(),
      },
      (entry) => [primaryKey({ columns: [entry.session, entry.n] })],
    ),
  }
}

// Under a language's collation PostgreSQL orders ids by dictionary, and some collations call different ids equal.
const bytewise = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })

/**
 * The PostgreSQL tables as drizzle definitions, for a `drizzle-kit` schema file:
 * `export const { sessions, entries } = pgTables()`; with a schema in the name also export `schema`.
 *
 * @param table As the `table` option of `openSql`, `'holdfast'` by default.
 */
export function pgTables(table?: string) {
  const names = tableNames(table)
  const schema = names.schema === undefined ? undefined : pgSchema(names.schema)
  const define = (schema?.table ?? pgTable) as typeof pgTable
  return {
    /** Where the tables are, if `table` named a schema. */
    schema,
    sessions: define(names.sessions, {
      session: bigint('session', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
      id: bytewise('id').primaryKey().notNull(),
      revision: pgText('revision').notNull(),
      head: pgText('head').notNull(),
      first: bigint('first', { mode: 'number' }).notNull(),
      next: bigint('next', { mode: 'number' }).notNull(),
    }),
    entries: define(
      names.entries,
      {
        session: bigint('session', { mode: 'number' }).notNull(),
        n: bigint('n', { mode: 'number' }).notNull(),
        body: pgText('body').notNull(),
      },
      (entry) => [pgPrimaryKey({ columns: [entry.session, entry.n] })],
    ),
  }
}

/** Bytes: of the collations that neither fold case nor ignore trailing blanks, none exists on both MariaDB and MySQL. */
const bytes = (name: string, length: number) =>
  mysqlCustomType<{ data: string; driverData: Uint8Array }>({
    dataType: () => `varbinary(${length})`,
    fromDriver: (value) => new TextDecoder().decode(value),
  })(name)

const longText = mysqlCustomType<{ data: string }>({
  dataType: () => 'longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
})

/**
 * The MariaDB and MySQL tables as drizzle definitions, for a `drizzle-kit` schema file:
 * `export const { sessions, entries } = mysqlTables()`. The server's default engine must be InnoDB.
 *
 * @param table As the `table` option of `openSql`, `'holdfast'` by default; a schema is a database.
 */
export function mysqlTables(table?: string) {
  const names = tableNames(table)
  const schema = names.schema === undefined ? undefined : mysqlSchema(names.schema)
  const define = (schema?.table ?? mysqlTable) as typeof mysqlTable
  return {
    /** Where the tables are, if `table` named a schema. */
    schema,
    sessions: define(names.sessions, {
      session: mysqlBigint('session', { mode: 'number' }).autoincrement().primaryKey(),
      id: bytes('id', 400).notNull().unique(),
      revision: bytes('revision', 1024).notNull(),
      head: longText('head').notNull(),
      first: mysqlBigint('first', { mode: 'number' }).notNull(),
      next: mysqlBigint('next', { mode: 'number' }).notNull(),
    }),
    entries: define(
      names.entries,
      {
        session: mysqlBigint('session', { mode: 'number' }).notNull(),
        n: mysqlBigint('n', { mode: 'number' }).notNull(),
        body: longText('body').notNull(),
      },
      (entry) => [mysqlPrimaryKey({ columns: [entry.session, entry.n] })],
    ),
  }
}
