import { HoldfastError } from '@holdfast/core'
import { asking, type RedisClient, run } from './client.ts'
import { probe } from './scripts.ts'

/** The first version that this is promised for. */
const OLDEST = [6, 2] as const

/** What is done once before a storage is used: a look at the version, and every command tried on one key. */
export async function probeServer(client: RedisClient, prefix: string): Promise<void> {
  const version = await serverVersion(client)
  if (version && isOlder(version)) {
    throw new HoldfastError(
      'UNSUPPORTED',
      `The server is Redis ${version.join('.')}: Redis ${OLDEST.join('.')} or newer is needed, or Valkey.`,
    )
  }
  await run(client, probe, `${prefix}:probe:${crypto.randomUUID()}`)
}

/** Undefined where it may not be asked: on managed servers, say. */
async function serverVersion(client: RedisClient): Promise<number[] | undefined> {
  let info: string
  try {
    info = await asking(() => client.info('server'))
  } catch (error) {
    if (error instanceof Error && /^(NOPERM|ERR unknown command)/.test(error.message)) return
    throw error
  }
  return /^redis_version:(\d+)\.(\d+)/m.exec(info)?.slice(1).map(Number)
}

function isOlder([major = 0, minor = 0]: readonly number[]): boolean {
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
}
