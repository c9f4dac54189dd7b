import { bindCases, type TestRunner } from '../bind.ts'
import type { Limits } from '../limits.ts'
import type { SessionStoreConnection } from './session-store-harness.ts'
import { type AgentSessionStoreOptions, agentSessionStoreSuite } from './suite.ts'

/** How the stores may be opened, and what they are known not to keep. */
export interface TestAgentSessionStoreOptions extends Omit<AgentSessionStoreOptions, 'open'> {
  /** Rules that the store is known to break: case id → reason. Each must then really fail. */
  readonly limits?: Limits | undefined
}

/**
 * Registers every session-store case with a test runner: the global `describe`/`it`, or `runner`. `open` is
 * called twice over the same storage, unless `processes` is 1: two calls stand for two processes.
 * `INVALID_ARGUMENT` if there is no runner, or if `limits` names an unknown case or a race.
 */
export function testAgentSessionStore(
  name: string,
  open: () => Promise<SessionStoreConnection>,
  options: TestAgentSessionStoreOptions = {},
  runner?: TestRunner,
): void {
  const { cases, seed, close } = agentSessionStoreSuite({ ...options, open })
  bindCases(`${name} (${cases.length} rules, seed ${seed})`, cases, {
    limits: options.limits,
    runner,
    close,
  })
}
