import { quoted, type TableNames } from '../table-name.ts'

/** The tables, as `drizzle-kit` makes them from `pgTables()`, but for the fill factor. */
export function pgDefinition(names: TableNames): string[] {
  const tables = [
    // Room on the head's page lets an update stay there (HOT): no index is touched, and old versions are
    // pruned by the next one instead of waiting for a vacuum, which PGlite never starts by itself.
    `CREATE TABLE IF NOT EXISTS ${quoted(names, 'sessions')} (
      "id" text COLLATE "C" PRIMARY KEY NOT NULL, "revision" text NOT NULL, "head" text NOT NULL,
      "first" bigint NOT NULL, "next" bigint NOT NULL) WITH (fillfactor = 50)`,
    `CREATE TABLE IF NOT EXISTS ${quoted(names, 'entries')} (
      "id" text COLLATE "C" NOT NULL, "n" bigint NOT NULL, "body" text NOT NULL, PRIMARY KEY ("id", "n"))`,
  ]
  return names.schema === undefined
    ? tables
    : [`CREATE SCHEMA IF NOT EXISTS "${names.schema}"`, ...tables]
}

/** How many entries a statement adds: one goes as it is, several as one JSON array. */
export type Amount = 'none' | 'one' | 'many'

/**
 * Each write is one statement and one round trip: the head's guarded change comes first, and the rest
 * works on what it returned, so that a lost race finds nothing to work on. All parts see the state
 * before the statement, which is why numbers are never reused.
 * `:name` stands for a parameter.
 */
export function pgStatements(names: TableNames) {
  const sessions = quoted(names, 'sessions')
  const entries = quoted(names, 'entries')
  const guarded = 'WHERE id = :id AND revision = :expected'
  const page = `SELECT id, revision, head FROM ${sessions} WHERE id > :after`

  const adding: Record<Amount, string> = {
    none: '',
    one: `, added AS (INSERT INTO ${entries} (id, n, body)
      SELECT :id::text, changed."next" - 1, :body::text FROM changed)`,
    many: `, added AS (INSERT INTO ${entries} (id, n, body)
      SELECT :id::text, changed."next" - :count::bigint + e.n - 1, e.body
        FROM changed, json_array_elements_text(:body::json) WITH ORDINALITY AS e (body, n))`,
  }
  const cutting = (where: string) =>
    `, cut AS (DELETE FROM ${entries} e USING changed WHERE e.id = :id AND ${where} e.n < changed."first")`
  const writing = (change: string, ...rest: string[]) =>
    `WITH changed AS (${change})${rest.join('')} SELECT 1 AS done FROM changed`

  const appending = (amount: Amount, cut: string) =>
    writing(
      `UPDATE ${sessions} SET revision = :revision, head = :head,
        "first" = "first" + :drop::bigint, "next" = "next" + :count::bigint ${guarded} RETURNING "first", "next"`,
      cut,
      adding[amount],
    )
  const each = (text: (amount: Amount) => string): Record<Amount, string> => ({
    none: text('none'),
    one: text('one'),
    many: text('many'),
  })

  return {
    /** One statement, so that head and entries are of one state: two would tear under READ COMMITTED. */
    read: `SELECT -1 AS n, CASE WHEN revision IS DISTINCT FROM :unless::text THEN head END AS body, revision
        FROM ${sessions} WHERE id = :id
      UNION ALL
      SELECT e.n, e.body, NULL FROM ${sessions} s JOIN ${entries} e ON e.id = :id AND e.n >= s."first" + :skip::bigint
        WHERE s.id = :id AND s.revision IS DISTINCT FROM :unless::text
      ORDER BY n`,
    create: each((amount) =>
      writing(
        `INSERT INTO ${sessions} (id, revision, head, "first", "next")
          VALUES (:id, :revision, :head, 0, :count) ON CONFLICT DO NOTHING RETURNING "next"`,
        adding[amount],
      ),
    ),
    replace: each((amount) =>
      writing(
        `UPDATE ${sessions} SET revision = :revision, head = :head, "first" = "next", "next" = "next" + :count::bigint
          ${guarded} RETURNING "first", "next"`,
        cutting(''),
        adding[amount],
      ),
    ),
    append: each((amount) => appending(amount, '')),
    /** The lower bound keeps the scan off the dead index entries of everything dropped before. */
    dropAndAppend: each((amount) =>
      appending(amount, cutting('e.n >= changed."first" - :drop::bigint AND')),
    ),
    remove: writing(
      `DELETE FROM ${sessions} ${guarded} RETURNING id`,
      `, cut AS (DELETE FROM ${entries} e USING changed WHERE e.id = changed.id)`,
    ),
    list: `${page} ORDER BY id LIMIT :limit`,
    listBefore: `${page} AND id < :before ORDER BY id LIMIT :limit`,
  }
}
