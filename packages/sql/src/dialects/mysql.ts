import {
  type Append,
  HoldfastError,
  type Listed,
  type StoredSession,
  type Version,
} from '@holdfast/core'
import type { CheckedOptions } from '../options.ts'
import { type Cell, type CellRow, type Dialect, toCell } from './dialect.ts'
import { otherLayout } from './layout.ts'
import {
  classifyMysql,
  isDuplicate,
  isMissing,
  lacksColumn,
  lostMysqlRace,
  PacketTooLarge,
} from './mysql-errors.ts'
import { batchSizes, mysqlDefinition, mysqlStatements } from './mysql-statements.ts'

type Value = string | number | null

/** What a write answers: how many rows it found, and what it told through LAST_INSERT_ID. */
export interface Outcome {
  readonly affectedRows: number
  readonly insertId: unknown
}

/** One statement on one connection; rows, or an `Outcome`. */
export type RunMysql = (text: string, values: readonly Value[]) => Promise<unknown>

/** How statements get to a server: over a pool, or inside a transaction of the caller's. */
export interface MysqlRunner {
  /** One statement, atomic by itself. */
  readonly run: RunMysql
  /** Several, all or nothing: nothing if `work` answers false or throws. */
  atomically(work: (run: RunMysql) => Promise<boolean>): Promise<boolean>
  /** Every read from now on asks for a consistent snapshot first: for sessions at READ UNCOMMITTED. */
  readConsistently(): void
  readonly read: RunMysql
  /** Whether this is a transaction of the caller's: a table made in it would commit it. */
  readonly inTransaction: boolean
}

/** What an entry's row takes in a packet beside its body, generously: a copy of the id, and numbers. */
const OVERHEAD_BYTES = 450
/** What a statement takes beside its rows, generously. */
const STATEMENT_BYTES = 8192
/** The smallest default that a server of the supported versions has. */
const DEFAULT_PACKET_BYTES = 16_777_216

/** MariaDB and MySQL. Strings come as bytes where a column holds bytes. */
export class MysqlDialect implements Dialect {
  readonly #runner: MysqlRunner
  readonly #options: CheckedOptions
  readonly #statements: ReturnType<typeof mysqlStatements>
  #packetBytes = DEFAULT_PACKET_BYTES

  constructor(runner: MysqlRunner, options: CheckedOptions) {
    this.#runner = runner
    this.#options = options
    this.#statements = mysqlStatements(options.names)
  }

  /** Fails where a table is missing. */
  async probe(): Promise<void> {
    try {
      await this.#runner.run(this.#statements.probe, [])
    } catch (error) {
      throw lacksColumn(error) ? otherLayout(this.#options.names) : error
    }
  }

  async setup(): Promise<void> {
    try {
      // Looking first lets users without CREATE start at all.
      await this.probe()
    } catch (error) {
      if (!isMissing(error)) throw error
      for (const text of mysqlDefinition(this.#options.names)) await this.#runner.run(text, [])
    }
  }

  /** Looks at the settings of a connection that stored texts and promises depend on. */
  async encoding(): Promise<string> {
    const rows = (await this.#runner.run(
      `SHOW VARIABLES WHERE Variable_name IN ('autocommit', 'character_set_client', 'character_set_connection',
        'character_set_results', 'max_allowed_packet', 'transaction_isolation', 'tx_isolation')`,
      [],
    )) as { Variable_name: unknown; Value: unknown }[]
    const settings = new Map(rows.map((row) => [toText(row.Variable_name), toText(row.Value)]))
    if (settings.get('autocommit') === 'OFF' && !this.#runner.inTransaction) {
      throw new HoldfastError(
        'UNSUPPORTED',
        'The connections of this pool have autocommit off, by which reads would be of an old state: turn it on.',
      )
    }
    const sets = ['client', 'connection', 'results'].map((name) => `character_set_${name}`)
    const other = sets.find((name) => settings.get(name) !== 'utf8mb4')
    if (other !== undefined) {
      throw new HoldfastError(
        'UNSUPPORTED',
        `The connection's ${other} is ${settings.get(other)}, which cannot carry every character: leave out the client's charset option, or set it to utf8mb4.`,
      )
    }
    const isolation = settings.get('transaction_isolation') ?? settings.get('tx_isolation')
    if (isolation === 'READ-UNCOMMITTED') this.#runner.readConsistently()
    this.#packetBytes = Number(settings.get('max_allowed_packet')) || DEFAULT_PACKET_BYTES
    return 'utf8'
  }

  async read(id: string, unless: string | null, skip: number): Promise<Cell | undefined> {
    const values = [unless, id, skip, id, unless]
    const rows = (await this.#runner.read(this.#statements.read, values)) as CellRow[]
    const cell = toCell(rows)
    return cell && { ...cell, revision: toText(cell.revision) }
  }

  create(id: string, next: StoredSession): Promise<boolean> {
    const { revision, head, entries } = next
    return this.#write(entries.length > 0, async (run) => {
      try {
        await run(this.#statements.create, [id, revision, head, entries.length])
      } catch (error) {
        if (isDuplicate(error)) return false
        throw error
      }
      await this.#insert(run, id, 0, entries)
      return true
    })
  }

  replace(id: string, next: StoredSession, expected: string): Promise<boolean> {
    const { revision, head, entries } = next
    return this.#write(true, async (run) => {
      const { replace, cutReplaced } = this.#statements
      const values = [revision, head, entries.length, id, expected]
      const end = changed(await run(replace, values))
      if (end === undefined) return false
      await run(cutReplaced, [id])
      await this.#insert(run, id, end - entries.length, entries)
      return true
    })
  }

  async append(id: string, change: Append, { revision: expected }: Version) {
    const { revision, head, drop, entries } = change
    const done = await this.#write(drop > 0 || entries.length > 0, async (run) => {
      const { append, cutDropped } = this.#statements
      const values = [revision, head, drop, entries.length, id, expected]
      const end = changed(await run(append, values))
      if (end === undefined) return false
      if (drop > 0) await run(cutDropped, [drop, id])
      await this.#insert(run, id, end - entries.length, entries)
      return true
    })
    return done && { revision }
  }

  remove(id: string, expected: string): Promise<boolean> {
    return this.#write(false, async (run) => {
      const { affectedRows } = (await run(this.#statements.remove, [id, expected])) as Outcome
      return affectedRows > 0
    })
  }

  async list(after: string, before: string | undefined, limit: number): Promise<Listed[]> {
    const given = { after: after !== '', before: before !== undefined }
    const values: Value[] = [
      ...(given.after ? [after] : []),
      ...(before === undefined ? [] : [before]),
      // As text: MySQL refuses the DOUBLE that clients send a number as.
      String(limit),
    ]
    const rows = (await this.#runner.read(this.#statements.list(given), values)) as Record<
      string,
      unknown
    >[]
    return rows.map((row) => ({
      id: toText(row['id']),
      revision: toText(row['revision']),
      head: toText(row['head']),
    }))
  }

  readonly classify = classifyMysql

  /** A lost race is false, and its transaction is rolled back; in a caller's transaction it is theirs to see. */
  async #write(several: boolean, work: (run: RunMysql) => Promise<boolean>): Promise<boolean> {
    const runner = this.#runner
    try {
      return await (several || runner.inTransaction ? runner.atomically(work) : work(runner.run))
    } catch (error) {
      if (!runner.inTransaction && lostMysqlRace(error)) return false
      throw error
    }
  }

  /** As few statements as the server's bound on one packet and the bounded number of texts allow. */
  async #insert(run: RunMysql, id: string, from: number, entries: readonly string[]) {
    const room = this.#packetBytes - STATEMENT_BYTES
    const sizes = entries.map((body) => Buffer.byteLength(body) + OVERHEAD_BYTES)
    const tooLarge = sizes.find((size) => size > room)
    if (tooLarge !== undefined) {
      throw new PacketTooLarge(tooLarge - OVERHEAD_BYTES, this.#packetBytes)
    }
    for (let at = 0; at < entries.length; ) {
      const count = batch(sizes, at, room)
      const values = entries
        .slice(at, at + count)
        .flatMap((body, i): Value[] => [id, from + at + i, body])
      await run(this.#statements.insert.get(count) ?? '', values)
      at += count
    }
  }
}

/** How many entries from `at` on go into one statement. */
function batch(sizes: readonly number[], at: number, room: number): number {
  let fitting = 0
  for (let bytes = 0; at + fitting < sizes.length; fitting++) {
    bytes += sizes[at + fitting] ?? 0
    if (bytes > room) break
  }
  return batchSizes.find((size) => size <= fitting) ?? 1
}

/** The new end of a session whose guarded change found it. */
function changed(outcome: unknown): number | undefined {
  const { affectedRows, insertId } = outcome as Outcome
  return affectedRows === 1 ? Number(insertId) : undefined
}

function toText(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value)
}
