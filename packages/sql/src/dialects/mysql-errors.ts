import type { ErrorKind } from '@holdfast/core'
import { errorChain } from './error-chain.ts'

/** An entry that the server's `max_allowed_packet` does not let through; the server would cut the connection. */
export class PacketTooLarge extends Error {
  override readonly name = 'PacketTooLarge'
  readonly errno = 1153

  constructor(bytes: number, limit: number) {
    super(
      `An entry of ${bytes} bytes does not fit into the server's max_allowed_packet of ${limit} bytes: raise that setting.`,
    )
  }
}

/** The network, or the client's own word for it. */
const lostConnection =
  /^(PROTOCOL_|ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|EAI_AGAIN$|ENOTFOUND$|HANDSHAKE_)/

/** Statement and transaction were rolled back because of another writer, so that the write did not happen. */
const raceNumbers = new Set([
  1020, // record has changed since last read (MariaDB's innodb_snapshot_isolation)
  1205, // lock wait timeout
  1213, // deadlock; on a Galera cluster also a lost certification, at COMMIT
  3101, // the same in MySQL's group replication
])

const transientNumbers = new Set([
  ...raceNumbers,
  1040, 1203, 1226, // too many connections
  1047, // Galera: this node is not ready
  1053, 1077, 1079, 1080, // shutting down
  1152, 1158, 1159, 1160, 1161, // connection trouble as the server sees it
  1317, 1927, 4031, // statement or connection killed, or idle for too long
  1412, 1615, // a table's definition changed under a prepared statement
  1969, 3024, // statement timeout
]) // biome-ignore format: numbers of one kind stand in one line

const tooLargeNumbers = new Set([
  1153, // larger than max_allowed_packet
  1406, // larger than its column
])

const refusedNumbers = new Set([
  1021,
  1114, // disk or table full
  1044,
  1045,
  1049,
  1142,
  1143,
  1227,
  1698, // no rights, no such database
  1054,
  1064,
  1146, // no such column or table
  1290,
  1792,
  1836, // read-only
  1461, // max_prepared_stmt_count
])

/** From the server's error number, whatever the language of the message, or the client's code. */
export function classifyMysql(error: unknown): ErrorKind | undefined {
  for (const { code, number, message } of errorChain(error)) {
    if (transientNumbers.has(number) || lostConnection.test(code)) return 'transient'
    if (tooLargeNumbers.has(number)) return 'too-large'
    if (refusedNumbers.has(number)) return 'refused'
    if (message === 'Pool is closed.') return 'closed'
    if (/closed state$|^No connections available|^Queue limit reached/.test(message)) {
      return 'transient'
    }
  }
  return undefined
}

export function lostMysqlRace(error: unknown): boolean {
  return hasNumber(error, raceNumbers)
}

/** There is a session of this id already. */
export function isDuplicate(error: unknown): boolean {
  return hasNumber(error, new Set([1062]))
}

/** No such table or database. */
export function isMissing(error: unknown): boolean {
  return hasNumber(error, new Set([1049, 1146]))
}

/** No such column. */
export function lacksColumn(error: unknown): boolean {
  return hasNumber(error, new Set([1054]))
}

function hasNumber(error: unknown, numbers: ReadonlySet<number>): boolean {
  for (const { number } of errorChain(error)) if (numbers.has(number)) return true
  return false
}
