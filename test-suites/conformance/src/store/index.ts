export { sessionStoreCases } from './cases.ts'
export { randomStoreCase } from './random-store.ts'
export type {
  SessionStoreCase,
  SessionStoreConnection,
  SessionStoreHarness,
  Traffic,
} from './session-store-harness.ts'
export {
  type AgentSessionStoreOptions,
  type AgentSessionStoreSuite,
  agentSessionStoreSuite,
} from './suite.ts'
export {
  type TestAgentSessionStoreOptions,
  testAgentSessionStore,
} from './test-agent-session-store.ts'
