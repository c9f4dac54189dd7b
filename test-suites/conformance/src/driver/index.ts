export { sessionDriverCases } from './cases.ts'
export type { DriverCase, DriverConnection, DriverHarness } from './driver-harness.ts'
export { type StorageCase, type StorageHarness, storageCases } from './storage/index.ts'
export {
  type SessionDriverOptions,
  type SessionDriverSuite,
  sessionDriverSuite,
} from './suite.ts'
export { type TestSessionDriverOptions, testSessionDriver } from './test-session-driver.ts'
