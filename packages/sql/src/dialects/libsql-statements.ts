import { quoted, type TableNames } from '../table-name.ts'
import { sqliteTexts } from './sqlite-statements.ts'

/**
 * SQLite's statements for a client that answers later. A write is the guarded change of the head, and
 * then statements that work only if the session is now at the new revision: no revision is used twice,
 * so that after a lost race they find nothing.
 */
export function libsqlTexts(names: TableNames) {
  const sessions = quoted(names, 'sessions')
  const entries = quoted(names, 'entries')
  const at = 'WHERE id = ? AND revision = ?'
  const own = `session = (SELECT session FROM ${sessions} ${at})`
  const first = `(SELECT "first" FROM ${sessions} ${at})`
  const { read, create, replace, append, list, listBefore } = sqliteTexts(names)
  return {
    ...{ read, create, replace, append, list, listBefore },
    /** number of entries, the entries as a JSON array, id, revision */
    insert: `INSERT INTO ${entries} (session, n, body)
      SELECT s.session, s."next" - ? + e.key, e.value FROM ${sessions} s, json_each(?) e
        WHERE s.id = ? AND s.revision = ?`,
    /** id, revision, id, revision */
    cut: `DELETE FROM ${entries} WHERE ${own} AND n < ${first}`,
    /** id, revision */
    removeEntries: `DELETE FROM ${entries} WHERE ${own}`,
    /** id, revision */
    remove: `DELETE FROM ${sessions} ${at}`,
  }
}
