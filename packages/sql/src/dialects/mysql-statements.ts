import type { TableNames } from '../table-name.ts'
import { everyColumn } from './layout.ts'

/** How many entries one INSERT adds, greatest first: few texts, since a server keeps a bounded number of prepared ones. */
export const batchSizes = [64, 32, 16, 8, 7, 6, 5, 4, 3, 2, 1] as const

/** In backticks, which mean the same under every `sql_mode`; double quotes do not. */
function ticked({ schema, ...names }: TableNames, table: 'sessions' | 'entries'): string {
  const name = `\`${names[table]}\``
  return schema === undefined ? name : `\`${schema}\`.${name}`
}

/**
 * The tables, as `drizzle-kit` makes them from `mysqlTables()`. Ids are bytes: of the collations that
 * neither fold case nor ignore trailing blanks, none exists on both MariaDB and MySQL. The engine is
 * named because a server may have another default, without transactions.
 */
export function mysqlDefinition(names: TableNames): string[] {
  const long = 'longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL'
  const tables = [
    `CREATE TABLE IF NOT EXISTS ${ticked(names, 'sessions')} (
      \`session\` bigint NOT NULL AUTO_INCREMENT, \`id\` varbinary(400) NOT NULL,
      \`revision\` varbinary(1024) NOT NULL, \`head\` ${long}, \`first\` bigint NOT NULL, \`next\` bigint NOT NULL,
      PRIMARY KEY (\`session\`), UNIQUE KEY \`${names.sessions}_id_unique\` (\`id\`)) ENGINE=InnoDB`,
    `CREATE TABLE IF NOT EXISTS ${ticked(names, 'entries')} (
      \`session\` bigint NOT NULL, \`n\` bigint NOT NULL, \`body\` ${long},
      PRIMARY KEY (\`session\`, \`n\`)) ENGINE=InnoDB`,
  ]
  return names.schema === undefined
    ? tables
    : [`CREATE DATABASE IF NOT EXISTS \`${names.schema}\``, ...tables]
}

/** A number as a parameter: clients send one as DOUBLE, by which no index range is read. */
const WHOLE = 'CAST(? AS SIGNED)'

/**
 * MariaDB and MySQL cannot change two tables in one statement unless it deletes: a write is a transaction
 * that begins with the guarded change of the head. It tells the new `next` through LAST_INSERT_ID, which
 * comes with the answer and spares a round trip.
 */
export function mysqlStatements(names: TableNames) {
  const sessions = ticked(names, 'sessions')
  const entries = ticked(names, 'entries')
  const guarded = 'WHERE id = ? AND revision = ?'
  const head = `UPDATE ${sessions} SET revision = ?, head = ?`
  const next = `\`next\` = LAST_INSERT_ID(\`next\` + ${WHOLE})`
  const cut = (where: string) =>
    `DELETE e FROM ${sessions} s JOIN ${entries} e ON e.session = s.session AND ${where} WHERE s.id = ?`
  const row = `((SELECT session FROM ${sessions} WHERE id = ?), ?, ?)`

  return {
    /** Finds nothing, and fails where a table or a column is missing. */
    probe: `SELECT ${everyColumn((name) => `\`${name}\``)} FROM ${sessions} s JOIN ${entries} e ON e.session = s.session LIMIT 0`,
    /**
     * unless, id, skip, id, unless. One statement, so that head and entries are of one state at every
     * isolation level from READ COMMITTED up. Its rows are put in order by who reads them.
     */
    read: `SELECT -1 AS n, CASE WHEN NOT (revision <=> ?) THEN head END AS \`body\`, revision
        FROM ${sessions} WHERE id = ?
      UNION ALL
      SELECT e.n, e.\`body\`, NULL FROM ${sessions} s
        JOIN ${entries} e ON e.session = s.session AND e.n >= s.\`first\` + ${WHOLE}
        WHERE s.id = ? AND NOT (s.revision <=> ?)`,
    /** id, revision, head, number of entries */
    create: `INSERT INTO ${sessions} (id, revision, head, \`first\`, \`next\`) VALUES (?, ?, ?, 0, ${WHOLE})`,
    /** revision, head, number of entries, id, expected */
    replace: `${head}, \`first\` = \`next\`, ${next} ${guarded}`,
    /** revision, head, dropped, added, id, expected */
    append: `${head}, \`first\` = \`first\` + ${WHOLE}, ${next} ${guarded}`,
    /** id */
    cutReplaced: cut('e.n < s.`first`'),
    /** dropped, id. The lower bound keeps the scan off rows dropped before and not yet purged. */
    cutDropped: cut(`e.n >= s.\`first\` - ${WHOLE} AND e.n < s.\`first\``),
    /** id, expected */
    remove: `DELETE s, e FROM ${sessions} s LEFT JOIN ${entries} e ON e.session = s.session
      WHERE s.id = ? AND s.revision = ?`,
    /** (id, n, body) for each entry */
    insert: new Map<number, string>(
      batchSizes.map((count) => [
        count,
        `INSERT INTO ${entries} (session, n, \`body\`) VALUES ${new Array(count).fill(row).join(', ')}`,
      ]),
    ),
    /** after, before, limit; the bounds only where they are given: to some modes '' is NULL. */
    list: (bounds: { after: boolean; before: boolean }) => {
      const where = [bounds.after ? 'id > ?' : '', bounds.before ? 'id < ?' : ''].filter(Boolean)
      return `SELECT id, revision, head FROM ${sessions} ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY id LIMIT ?`
    },
  }
}
