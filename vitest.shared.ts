import { fileURLToPath } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** What each name that a user imports is made of. */
const sources = {
  core: 'packages/core/src/index.ts',
  'core/adapter': 'packages/core/src/adapter.ts',
  'core/encryption': 'packages/core/src/encryption.ts',
  'core/model-client': 'packages/core/src/model-client.ts',
  'core/segments': 'packages/core/src/segments.ts',
  sql: 'packages/sql/src/index.ts',
  'sql/schema': 'packages/sql/src/schema.ts',
  redis: 'packages/redis/src/index.ts',
  mongodb: 'packages/mongodb/src/index.ts',
  s3: 'packages/s3/src/index.ts',
  openai: 'packages/openai/src/index.ts',
  'ai-sdk': 'packages/ai-sdk/src/index.ts',
  conformance: 'test-suites/conformance/src/index.ts',
  services: 'test-suites/services/src/index.ts',
}
const packages = Object.entries(sources).map(([name, path]) => ({
  find: new RegExp(`^@holdfast/${name}$`),
  replacement: source(path),
}))

/** Tests run on the sources of the packages, so that coverage and stack traces name them; what is packed is tested by itself. */
export const shared: ViteUserConfig = {
  resolve: {
    alias: packages,
  },
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
}
