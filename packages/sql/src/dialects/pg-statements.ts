import { quoted, type TableNames } from '../table-name.ts'

/** The tables, as `drizzle-kit` makes them from `pgTables()`, but for the fill factor. */
export function pgDefinition(names: TableNames): string[] {
  const tables = [
    // Room on the head's page lets an update stay there (HOT): no index is touched, and old versions are
    // pruned by the next one instead of waiting for a vacuum, which PGlite never starts by itself.
    `CREATE TABLE IF NOT EXISTS ${quoted(names, 'sessions')} (
      "session" bigint NOT NULL GENERATED ALWAYS AS IDENTITY, "id" text COLLATE "C" PRIMARY KEY NOT NULL,
      "revision" text NOT NULL, "head" text NOT NULL, "first" bigint NOT NULL, "next" bigint NOT NULL) WITH (fillfactor = 50)`,
    `CREATE TABLE IF NOT EXISTS ${quoted(names, 'entries')} (
      "session" bigint NOT NULL, "n" bigint NOT NULL, "body" text NOT NULL, PRIMARY KEY ("session", "n"))`,
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
 * before the statement, which is why numbers are never reused. A write that happened answers one row.
 * `:name` stands for a parameter, always as text or as the type it is cast to: clients convert values by
 * what the server says of them, and a JSON text must not be made JSON once more.
 */
export function pgStatements(names: TableNames, condition = 'true') {
  const sessions = quoted(names, 'sessions')
  const entries = quoted(names, 'entries')
  const guarded = `WHERE id = :id AND revision = :expected AND ${condition}`
  const page = `SELECT id, revision, head FROM ${sessions} WHERE id > :after AND ${condition}`

  const writing = (change: string, cut = ''): Record<Amount, string> => {
    const start = `WITH changed AS (${change})${cut}`
    const insert = `INSERT INTO ${entries} (session, n, body)`
    return {
      none: `${start} SELECT 1 AS done FROM changed`,
      one: `${start} ${insert} SELECT changed.session, changed."next" - 1, :body::text FROM changed RETURNING 1 AS done`,
      many: `${start}, added AS (${insert}
          SELECT changed.session, changed."next" - :count::bigint + e.n - 1, e.body
            FROM changed, json_array_elements_text(:body::text::json) WITH ORDINALITY AS e (body, n))
        SELECT 1 AS done FROM changed`,
    }
  }
  const cutting = (where: string) =>
    `, cut AS (DELETE FROM ${entries} e USING changed WHERE e.session = changed.session AND ${where})`
  const appending = `UPDATE ${sessions} SET revision = :revision, head = :head,
    "first" = "first" + :drop::bigint, "next" = "next" + :count::bigint ${guarded} RETURNING session, "first", "next"`

  return {
    /**
     * One statement, so that head and entries are of one state: two would tear under READ COMMITTED.
     * Its rows are put in order by who reads them: an ORDER BY over both parts sorts whole entries, on
     * disk where they are many.
     */
    read: `WITH cell AS (SELECT session, revision, head, "first" FROM ${sessions} WHERE id = :id AND ${condition})
      SELECT -1 AS n, CASE WHEN revision IS DISTINCT FROM :unless::text THEN head END AS body, revision FROM cell
      UNION ALL
      SELECT e.n, e.body, NULL FROM cell JOIN ${entries} e ON e.session = cell.session AND e.n >= cell."first" + :skip::bigint
        WHERE cell.revision IS DISTINCT FROM :unless::text`,
    create: writing(
      `INSERT INTO ${sessions} (id, revision, head, "first", "next")
        SELECT :id::text, :revision::text, :head::text, 0, :count::bigint WHERE ${condition} ON CONFLICT DO NOTHING RETURNING session, "next"`,
    ),
    replace: writing(
      `UPDATE ${sessions} SET revision = :revision, head = :head,
        "first" = "next", "next" = "next" + :count::bigint ${guarded} RETURNING session, "first", "next"`,
      cutting('e.n < changed."first"'),
    ),
    append: writing(appending),
    /** The lower bound keeps the scan off the dead index entries of everything dropped before. */
    dropAndAppend: writing(
      appending,
      cutting('e.n >= changed."first" - :drop::bigint AND e.n < changed."first"'),
    ),
    remove: `WITH changed AS (DELETE FROM ${sessions} ${guarded} RETURNING session)
      ${cutting('true')} SELECT 1 AS done FROM changed`,
    list: `${page} ORDER BY id LIMIT :limit`,
    listBefore: `${page} AND id < :before ORDER BY id LIMIT :limit`,
  }
}
