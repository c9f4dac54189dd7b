import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['packages/*', 'test-suites/*', 'apps/*', 'examples/*', 'docs'],
    // One core is no reason to wait in line: most of the long files wait for disks, clocks and processes.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/**/*.ts'],
      reporter: ['text', 'json-summary'],
      reportOnFailure: true,
      thresholds: { lines: 95, branches: 95 },
    },
  },
})
