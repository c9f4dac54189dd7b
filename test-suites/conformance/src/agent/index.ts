export type { AgentCase, AgentHarness, AgentRequest, AgentTestTool } from './agent-harness.ts'
export { agentCases } from './cases.ts'
export { type AgentSuite, agentSuite } from './suite.ts'
export { type TestAgentOptions, testAgent } from './test-agent.ts'
