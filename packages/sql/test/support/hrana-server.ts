import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3'

type Value = { type: string; value?: unknown }
type Condition = { type: 'ok'; step: number } | { type: 'not'; cond: Condition }
interface Statement {
  readonly sql?: string
  readonly sql_id?: number
  readonly args?: Value[]
}
interface Request {
  readonly type: string
  readonly sql?: string
  readonly sql_id?: number
  readonly stmt?: Statement
  readonly batch?: {
    readonly steps: { readonly condition?: Condition; readonly stmt: Statement }[]
  }
}

/** What becomes of a pipeline of requests: it is served, or what is answered instead, with or without serving it. */
export type Verdict = 'serve' | 'serve-and-cut' | { readonly status: number; readonly body: string }

export interface HranaServer {
  readonly url: string
  /** How many pipelines came that held a write. */
  writes(): number
  close(): Promise<void>
}

/** As much of a libSQL server (Hrana 2 over HTTP) as the client uses, over an SQLite file. */
export async function openHranaServer(
  file: string,
  decide: (requests: readonly Request[], authorization: string | undefined) => Verdict = () =>
    'serve',
): Promise<HranaServer> {
  let writes = 0
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const { requests } = JSON.parse(text) as { requests: Request[] }
    const verdict = decide(requests, request.headers.authorization)
    if (typeof verdict === 'object') {
      response.writeHead(verdict.status, { 'content-type': 'text/plain' }).end(verdict.body)
      return
    }
    if (requests.some(({ type }) => type === 'batch')) writes++
    const results = serve(file, requests)
    if (verdict === 'serve-and-cut') response.destroy()
    else {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ baton: null, base_url: null, results }))
    }
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    writes: () => writes,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A stream that ends with its pipeline: the client of a storage keeps none open. */
function serve(file: string, requests: readonly Request[]): object[] {
  const db = new Database(file, { timeout: 250 })
  const texts = new Map<number, string>()
  const run = ({ sql, sql_id = -1, args = [] }: Statement) => {
    const statement = db.prepare(sql ?? texts.get(sql_id) ?? '')
    const values = args.map(({ type, value }) =>
      type === 'integer' ? Number(value) : (value ?? null),
    )
    const none = { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null }
    if (!statement.reader) return { ...none, affected_row_count: statement.run(...values).changes }
    const cols = statement.columns().map(({ name, type }) => ({ name, decltype: type }))
    const rows = statement.raw().all(...values) as unknown[][]
    return { ...none, cols, rows: rows.map((row) => row.map(asValue)) }
  }
  const one = (request: Request): object => {
    const { type } = request
    try {
      if (type === 'store_sql') texts.set(request.sql_id ?? -1, request.sql ?? '')
      if (type === 'execute') return ok({ type, result: run(request.stmt ?? {}) })
      if (type === 'batch') return ok({ type, result: batch(run, request.batch?.steps ?? []) })
      return ok({ type })
    } catch (error) {
      return { type: 'error', error: asError(error) }
    }
  }
  try {
    return requests.map(one)
  } finally {
    db.close()
  }
}

function batch(
  run: (statement: Statement) => object,
  steps: readonly { readonly condition?: Condition; readonly stmt: Statement }[],
): object {
  const results: (object | null)[] = []
  const errors: (object | null)[] = []
  const holds = (condition: Condition): boolean => {
    if (condition.type === 'not') return !holds(condition.cond)
    return results[condition.step] != null
  }
  for (const { condition, stmt } of steps) {
    let result: object | null = null
    let error: object | null = null
    try {
      if (!condition || holds(condition)) result = run(stmt)
    } catch (thrown) {
      error = asError(thrown)
    }
    results.push(result)
    errors.push(error)
  }
  return { step_results: results, step_errors: errors }
}

const ok = (response: object) => ({ type: 'ok', response })

const asError = (error: unknown) => {
  const { message, code } = error as { message: string; code?: string }
  return { message, code: code ?? 'SQLITE_ERROR' }
}

function asValue(value: unknown): Value {
  if (value === null) return { type: 'null' }
  if (typeof value === 'number') {
    return Number.isInteger(value)
      ? { type: 'integer', value: String(value) }
      : { type: 'float', value }
  }
  return { type: 'text', value: String(value) }
}
