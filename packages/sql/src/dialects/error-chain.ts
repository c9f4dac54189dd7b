export interface Failure {
  readonly code: string
  /** The server's or SQLite's number for it; NaN if there is none. */
  readonly number: number
  readonly message: string
}

/** An error and its causes: drizzle wraps what a client threw, once or more often. */
export function* errorChain(error: unknown): Generator<Failure> {
  // A chain that bites its own tail must not hang the process.
  for (let depth = 0; depth < 8 && error instanceof Error; depth++) {
    const { code, errno, errcode } = error as { code?: unknown; errno?: unknown; errcode?: unknown }
    const number = Number(errno ?? errcode ?? Number.NaN)
    yield { code: typeof code === 'string' ? code : '', number, message: error.message }
    error = error.cause
  }
}

const SYSTEM = /^(ECONN[A-Z]+|ENOTFOUND|EAI_[A-Z]+|ETIMEDOUT|EHOST[A-Z]+|ENET[A-Z]+|EPIPE)$/
/** Whether a code is what the operating system says of a host or a connection. */
export const unreachable = (code: string): boolean => SYSTEM.test(code)
/** postgres.js, mysql2 (a server that ends the connection instead of greeting), libSQL over its two protocols. */
const CLIENT =
  /^(CONNECT_TIMEOUT|PROTOCOL_CONNECTION_LOST|HANDSHAKE_[A-Z_]+|UND_ERR_[A-Z_]+|HRANA_(CLOSED|WEBSOCKET)_ERROR)$/
const MESSAGES =
  /^(timeout expired|timeout exceeded when trying to connect|Connection terminated.*)$/

/** Whether the host or the connection failed, by what the operating system or a client says; no server answered. */
export function isUnreachable(error: unknown): boolean {
  for (const { code, message } of errorChain(error)) {
    if (unreachable(code) || CLIENT.test(code) || MESSAGES.test(message)) return true
  }
  return false
}
