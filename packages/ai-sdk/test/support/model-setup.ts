import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { KEY } from '../../../openai/test/support/model-checks.ts'
import { startWireServer, type WireServer } from '../../../openai/test/support/wire-server.ts'

/** A server for the tests of one file, and a real provider pointed at it. */
export function wire() {
  let server: WireServer
  beforeAll(async () => {
    server = await startWireServer()
  })
  // What one test left over is no answer for the next.
  beforeEach(() => server.dropReplies())
  afterAll(() => server.close())
  return {
    get server() {
      return server
    },
    get provider() {
      return createOpenAICompatible({
        name: 'local',
        apiKey: KEY,
        baseURL: server.url,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })
    },
  }
}
