import { revisions } from '../bytes.ts'
import type { BareClient } from '../engine.ts'
import { done, States } from './states.ts'

export const MYSQL_APPEND =
  '`START TRANSACTION`; prepared `UPDATE … WHERE id AND revision`, prepared `INSERT`; `COMMIT`'

type Values = (string | number)[]

/** What is used of a connection. */
export interface BareMysqlConnection {
  query(text: string): Promise<unknown>
  execute(text: string, values: Values): Promise<[unknown, ...unknown[]]>
  release(): void
}

/** Behind every id: Holdfast lists within bounds. */
const LAST_ID = '~'
/** Rows of one INSERT. */
const CHUNK = 500

const tablesOf = (name: string) => [
  `CREATE TABLE IF NOT EXISTS ${name}_sessions (session bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    id varbinary(400) NOT NULL UNIQUE, revision varbinary(1024) NOT NULL, head longtext NOT NULL,
    first bigint NOT NULL, next bigint NOT NULL) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS ${name}_entries (session bigint NOT NULL, n bigint NOT NULL, body longtext NOT NULL,
    PRIMARY KEY (session, n)) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
]

const statementsOf = (name: string) => ({
  create: `INSERT INTO ${name}_sessions (id, revision, head, first, next) VALUES (?, ?, ?, 0, ?)`,
  update: `UPDATE ${name}_sessions SET revision = ?, head = ?, first = first + CAST(? AS SIGNED),
    next = LAST_INSERT_ID(next + CAST(? AS SIGNED)) WHERE id = ? AND revision = ?`,
  insert: `INSERT INTO ${name}_entries (session, n, body)
    VALUES ((SELECT session FROM ${name}_sessions WHERE id = ?), ?, ?)`,
  point: `SELECT revision FROM ${name}_sessions WHERE id = ?`,
  page: `SELECT id, revision, head FROM ${name}_sessions WHERE id > ? AND id < ? ORDER BY id LIMIT 21`,
})

interface Outcome {
  readonly affectedRows: number
  readonly insertId: number
}

/** MariaDB or MySQL by mysql2, in tables of that name; a connection of the pool for each call, as Holdfast takes one. */
export async function bareMysql(
  name: string,
  connect: () => Promise<BareMysqlConnection>,
): Promise<BareClient> {
  const { create, update, insert, point, page } = statementsOf(name)
  const next = revisions()
  const states = new States<string>()

  async function connected<T>(work: (connection: BareMysqlConnection) => Promise<T>): Promise<T> {
    const connection = await connect()
    try {
      return await work(connection)
    } finally {
      connection.release()
    }
  }
  const inTransaction = (work: (connection: BareMysqlConnection) => Promise<void>) =>
    connected(async (connection) => {
      await connection.query('START TRANSACTION')
      await work(connection)
      await connection.query('COMMIT')
    })
  const run = async (connection: BareMysqlConnection, text: string, values: Values) =>
    (await connection.execute(text, values))[0] as Outcome

  await connected(async (connection) => {
    for (const text of tablesOf(name)) await connection.query(text)
  })
  return {
    async create(id, { head, body }, entries) {
      const revision = next()
      await inTransaction(async (connection) => {
        const { insertId } = await run(connection, create, [id, revision, head, entries])
        for (let from = 0; from < entries; from += CHUNK) {
          const count = Math.min(CHUNK, entries - from)
          const rows = Array.from({ length: count }, (_, at) => [insertId, from + at, body])
          const places = rows.map(() => '(?, ?, ?)').join(', ')
          const text = `INSERT INTO ${name}_entries (session, n, body) VALUES ${places}`
          await run(connection, text, rows.flat())
        }
      })
      states.set(id, revision)
    },
    async append(id, { head, body }, count) {
      for (let at = 0; at < count; at++) {
        const revision = next()
        await inTransaction(async (connection) => {
          const values = [revision, head, 0, 1, id, states.get(id)]
          const { affectedRows, insertId } = await run(connection, update, values)
          done(affectedRows === 1)
          await run(connection, insert, [id, insertId - 1, body])
        })
        states.set(id, revision)
      }
    },
    async readRevision(id, count) {
      for (let at = 0; at < count; at++) await connected((one) => run(one, point, [id]))
    },
    async list(after) {
      for (const id of after) await connected((one) => run(one, page, [id, LAST_ID]))
    },
  }
}
