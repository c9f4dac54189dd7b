import { MemoryDriver } from '@holdfast/core'
import * as runner from 'vitest'
import { testSessionDriver } from '../src/index.ts'

const driver = new MemoryDriver()

testSessionDriver(
  'MemoryDriver',
  { connect: async () => ({ driver, close: async () => {} }) },
  runner,
)
