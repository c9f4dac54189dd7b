import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { S3Client } from '@aws-sdk/client-s3'

/**
 * What a double does before it stores: answer an error or a text by itself, never answer, do the work and lose
 * the answer on its way, or nothing.
 */
export type Answer =
  | { readonly status: number; readonly code: string }
  | { readonly status: number; readonly body: string }
  | { readonly text: string }
  | 'silent'
  | 'lost'
  | undefined

/**
 * A few lines of S3 that stand for what no server here can be made to do: take conditions and ignore them, refuse
 * (409, 503), lose one answer of many, or list without an end.
 */
export class Double {
  readonly #server: Server
  readonly #objects = new Map<string, string>()
  /** Requests by method. */
  readonly requests: string[] = []
  /** Which conditions it honours. */
  honours: readonly ('if-match' | 'if-none-match')[] = []
  before: (request: IncomingMessage) => Answer = () => undefined

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<Double> {
    const server = createServer()
    const double = new Double(server)
    server.on('request', (request, response) => void double.#answer(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return double
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get keys(): string[] {
    return [...this.#objects.keys()]
  }

  /** `attempts`: how often the client sends a request by itself. */
  client(attempts = 1, sessionToken?: string): S3Client {
    return new S3Client({
      endpoint: this.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: attempts,
      credentials: {
        accessKeyId: 'double',
        secretAccessKey: 'double-secret',
        ...(sessionToken !== undefined && { sessionToken }),
      },
      requestChecksumCalculation: 'WHEN_REQUIRED',
    })
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    this.requests.push(method)
    const [key = ''] = decodeURIComponent(url).split('?')
    const stored = this.#objects.get(key)
    const own = this.before(request)
    if (own === 'silent') return
    if (typeof own === 'object') {
      if ('text' in own) response.writeHead(200, { etag: etagOf(own.text) }).end(own.text)
      else if ('body' in own) fail(response, own.status, own.body)
      else refuse(response, own.status, own.code)
      return
    }
    const unmet =
      (headers['if-none-match'] === '*' &&
        this.honours.includes('if-none-match') &&
        stored !== undefined) ||
      (method !== 'GET' &&
        headers['if-match'] !== undefined &&
        this.honours.includes('if-match') &&
        (stored === undefined || headers['if-match'] !== etagOf(stored)))
    if (unmet) return refuse(response, 412, 'PreconditionFailed')
    if (method === 'PUT') {
      const text = Buffer.concat(chunks).toString()
      this.#objects.set(key, text)
      if (own === 'lost') return void request.socket.destroy()
      response.writeHead(200, { etag: etagOf(text) }).end()
    } else if (method === 'DELETE') {
      this.#objects.delete(key)
      if (own === 'lost') return void request.socket.destroy()
      response.writeHead(204).end()
    } else if (stored === undefined) {
      refuse(response, 404, 'NoSuchKey')
    } else {
      response.writeHead(200, { etag: etagOf(stored) }).end(stored)
    }
  }
}

const etagOf = (text: string) => `"${createHash('md5').update(text).digest('hex')}"`

function refuse(response: ServerResponse, status: number, code: string): void {
  fail(response, status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`)
}

function fail(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
}
