import { defineProject, mergeConfig } from 'vitest/config'
import { shared } from '../../vitest.shared.ts'

// Packing, installing and type-checking start other programs.
export default mergeConfig(
  shared,
  defineProject({ test: { testTimeout: 300_000, hookTimeout: 300_000 } }),
)
