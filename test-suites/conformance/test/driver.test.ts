import { MemoryDriver } from '../../../packages/core/src/storage/memory-driver.ts'
import * as runner from 'vitest'
import { prepare, bindCases, sessionDriverCases } from '../src/index.ts'
const d = new MemoryDriver()
bindCases('MemoryDriver', prepare('plain', sessionDriverCases, () => ({ driver: d, other: d, connect: async () => ({ driver: d, close: async () => {} }) })), { runner })
