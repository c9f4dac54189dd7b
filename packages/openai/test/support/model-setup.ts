import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { KEY } from './model-checks.ts'
import { startWireServer, type WireServer } from './wire-server.ts'

/** A server for the tests of one file, and the official SDK pointed at it. */
export function wire(): { readonly server: WireServer; readonly client: OpenAI } {
  let server: WireServer
  let client: OpenAI
  beforeAll(async () => {
    server = await startWireServer()
    client = new OpenAI({ apiKey: KEY, baseURL: server.url, logLevel: 'off' })
  })
  // What one test left over is no answer for the next.
  beforeEach(() => server.dropReplies())
  afterAll(() => server.close())
  return {
    get server() {
      return server
    },
    get client() {
      return client
    },
  }
}
