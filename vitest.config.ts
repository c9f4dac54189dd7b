import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['packages/*', 'test-suites/*', 'apps/*', 'examples/*', 'docs'],
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/**/*.ts'],
      reporter: ['text', 'json-summary'],
      reportOnFailure: true,
      thresholds: { lines: 95, branches: 95 },
    },
  },
})
