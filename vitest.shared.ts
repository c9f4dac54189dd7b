import { fileURLToPath } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Tests run on the sources of the packages, so that coverage and stack traces name them; what is packed is tested by itself. */
export const shared: ViteUserConfig = {
  resolve: {
    alias: [
      { find: /^@holdfast\/core$/, replacement: source('packages/core/src/index.ts') },
      {
        find: /^@holdfast\/core\/encryption$/,
        replacement: source('packages/core/src/encryption.ts'),
      },
      {
        find: /^@holdfast\/core\/model-client$/,
        replacement: source('packages/core/src/model-client.ts'),
      },
      { find: /^@holdfast\/openai$/, replacement: source('packages/openai/src/index.ts') },
      { find: /^@holdfast\/ai-sdk$/, replacement: source('packages/ai-sdk/src/index.ts') },
      { find: /^@holdfast\/sql\/schema$/, replacement: source('packages/sql/src/schema.ts') },
      { find: /^@holdfast\/sql$/, replacement: source('packages/sql/src/index.ts') },
      {
        find: /^@holdfast\/conformance$/,
        replacement: source('test-suites/conformance/src/index.ts'),
      },
    ],
  },
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
}
