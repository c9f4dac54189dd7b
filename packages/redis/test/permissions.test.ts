import { redis, useService } from '@holdfast/services'
import { Redis } from 'ioredis'
import * as runner from 'vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRedis, redisStorage } from '../src/index.ts'

/** As docs/backends/redis.md gives them. */
const COMMANDS =
  '+eval +evalsha +hget +hmget +hset +hdel +unlink +pexpire +persist +zadd +zrem +zrangebylex +zcard +time'
const CLIENT = '+hello +ping +select +info'

const server = await useService(redis, runner)

describe.runIf(server?.owned)('a user with the commands that the documentation names', () => {
  const admin = new Redis(server?.url ?? '', { lazyConnect: true })
  const as = (user: string) => (server?.url ?? '').replace('//', `//${user}:pass@`)
  const allow = (user: string, rules: string) =>
    admin.acl('SETUSER', user, 'reset', 'on', '>pass', '~holdfast:*', ...rules.split(' '))
  beforeAll(async () => {
    await allow('enough', `${COMMANDS} ${CLIENT}`)
    await allow('silent', COMMANDS)
    await allow('blind', `${COMMANDS} ${CLIENT} -hdel`)
  })
  afterAll(() => admin.disconnect())

  it('can do everything', async () => {
    const storage = await openRedis(as('enough'), { ttlMs: 3_600_000 })
    const memory = storage.scope('t').memory('a')
    for (const word of ['1', '2', '3']) await memory.addUserInput(word)
    await memory.clear()
    await memory.addUserInput('4')
    expect(await memory.getItems()).toHaveLength(1)
    expect((await storage.scope('t').listMemories()).memories).toHaveLength(1)
    expect(await storage.deleteAll()).toBe(1)
    expect(await storage.purge()).toMatchObject({ kept: 1 })
    await storage.close()
  })

  it('needs not even be told the version', async () => {
    const warn = runner.vi.spyOn(console, 'warn').mockImplementation(() => {})
    const client = new Redis(as('silent'), { protocol: 2 })
    const storage = await redisStorage(client)
    await storage.memory('b').addUserInput('x')
    expect(await storage.memory('b').getItems()).toHaveLength(1)
    client.disconnect()
    warn.mockRestore()
  })

  it('is refused at once, with the command that is missing', async () => {
    const error = await openRedis(as('blind')).catch((reason: Error) => reason)
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    expect((error as Error).message).toMatch(/hdel/i)
  })

  it('is refused keys outside the prefix', async () => {
    const error = await openRedis(as('enough'), { prefix: 'other' }).catch(
      (reason: Error) => reason,
    )
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
  })

  it('is refused with a wrong password, which is not shown', async () => {
    const url = as('enough').replace(':pass@', ':not-it@')
    const error = await openRedis(url).catch((reason: Error) => reason)
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    expect((error as Error).message).not.toContain('not-it')
  })
})
