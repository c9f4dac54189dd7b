import { bareError } from './bare-error.ts'
import type { Script } from './scripts.ts'

/** What is used of a client: a `Redis` or a `Cluster` of ioredis 5 or 6 has it. */
export interface RedisClient {
  /** Runs a script by its SHA-1. */
  evalsha(sha: string, numberOfKeys: number, keysAndArguments: string[]): Promise<unknown>
  /** Runs a script by its text. */
  eval(lua: string, numberOfKeys: number, keysAndArguments: string[]): Promise<unknown>
  /** What the server says of itself. */
  info(section: string): Promise<string>
  /** `'end'` once the client is closed for good. */
  readonly status: string
}

/** Every call of a client goes through here: no error of it gets out with what was sent. */
export async function asking<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw bareError(error)
  }
}

/**
 * Runs a script on the one key that it touches: one round trip where the server knows the script. Any
 * script counts as a write, so a Cluster client sends it to the master whatever its `scaleReads`; it puts its
 * `keyPrefix` in front of the key.
 */
export function run(
  client: RedisClient,
  { lua, sha }: Script,
  key: string,
  args: readonly string[] = [],
): Promise<unknown> {
  // One array: arguments that are spread are limited by the stack.
  const values = [key, ...args]
  return asking(async () => {
    try {
      return await client.evalsha(sha, 1, values)
    } catch (error) {
      // A server that was restarted, flushed its scripts, or became the master a moment ago.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return await client.eval(lua, 1, values)
    }
  })
}
