import { bindCases, type TestRunner } from '../bind.ts'
import type { Limits } from '../limits.ts'
import { type SessionDriverOptions, sessionDriverSuite } from './suite.ts'

/** The storage under test, and what it is known not to keep. */
export interface TestSessionDriverOptions extends SessionDriverOptions {
  /** Rules that the driver is known to break: case id → reason. Each must then really fail. */
  readonly limits?: Limits | undefined
}

/**
 * Registers the whole suite for a driver with a test runner: the global `describe`/`it`, or `runner`.
 * `INVALID_ARGUMENT` if there is no runner, or if `limits` names an unknown case or a race.
 */
export function testSessionDriver(
  name: string,
  options: TestSessionDriverOptions,
  runner?: TestRunner,
): void {
  const { cases, seed, close } = sessionDriverSuite(options)
  const distinct = new Set(cases.map((it) => it.id)).size
  bindCases(`${name} (${distinct} rules, ${cases.length} runs, seed ${seed})`, cases, {
    limits: options.limits,
    runner,
    close,
  })
}
