import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import * as runner from 'vitest'
import { redis, useService } from '../src/index.ts'
import { startOwned } from '../src/process/owned-service.ts'
import { Stage } from '../src/process/stage.ts'
import { ping, withRedis } from '../src/redis/client.ts'

const { describe, expect, it } = runner
const PROGRAM = fileURLToPath(new URL('programs/start-and-wait.ts', import.meta.url))
const GONE_MS = 15_000

/** Resolves when nothing answers at `url` and its folder is removed. */
async function gone(url: string, folder: string): Promise<void> {
  const deadline = Date.now() + GONE_MS
  const answers = () =>
    ping(url).then(
      () => true,
      () => false,
    )
  while (existsSync(folder) || (await answers())) {
    if (Date.now() > deadline) throw new Error(`${url} or ${folder} is still there.`)
    await sleep(50)
  }
}

const folderOf = (url: string) =>
  withRedis(url, async (client) => String((await client.config('GET', 'dir'))[1]))

// Redis stands for all of them: what starts and ends servers is the same.
const server = await useService(redis, runner)

describe.skipIf(server === undefined)('a server that was started', () => {
  it('is ended and its folder removed by stop', async () => {
    const { url, stop } = await startedRedis()
    const folder = await folderOf(url)
    expect(existsSync(folder)).toBe(true)
    await stop()
    await gone(url, folder)
  })

  it.each(['SIGKILL', 'SIGINT'] as const)(
    'does not outlive %s of its test process',
    async (how) => {
      const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const lines = createInterface({ input: child.stdout })
      const url = await new Promise<string>((resolve) => lines.once('line', resolve))
      const folder = await folderOf(url)
      child.kill(how)
      await gone(url, folder)
    },
  )

  it('keeps over a kill what was acknowledged, at its address', async () => {
    const { url, kill, restart, stop } = await startedRedis()
    try {
      await withRedis(url, (client) => client.set('key', 'value'))
      await kill()
      await expect(ping(url)).rejects.toThrow()
      await restart()
      expect(await withRedis(url, (client) => client.get('key'))).toBe('value')
    } finally {
      await stop()
    }
  })

  it('is killed before it is restarted', async () => {
    await expect(server?.restart()).rejects.toThrow('kill')
  })
})

async function startedRedis() {
  const service = await redis.start()
  return {
    url: service.url,
    kill: () => service.kill(),
    restart: () => service.restart(),
    stop: () => service.stop(),
  }
}

describe.skipIf(process.platform === 'win32')('startOwned', () => {
  /** A program that listens on `port`, or ends as servers do where it is taken. */
  const listen = (port: number) => ({
    command: process.execPath,
    args: ['-e', `require('node:net').createServer().listen(${port}, '127.0.0.1')`],
  })

  it('tries other ports where one was taken before the server had it', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const folders: string[] = []
    const service = await startOwned(
      () => new Stage('test'),
      async ({ folder }) => {
        folders.push(folder)
        const [port, answerMs] = folders.length < 3 ? [address.port, 30_000] : [0, 0]
        return {
          url: `test:${folders.length}`,
          servers: [{ name: 'listener', program: listen(port), ready: () => sleep(answerMs) }],
          version: async () => 'Listener 1',
        }
      },
    )
    expect(service.url).toBe('test:3')
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, false, true])
    await service.stop()
    taken.close()
  })

  it('says how a server ended that does not start, and removes its folder', async () => {
    let place = ''
    const start = startOwned(
      () => new Stage('test'),
      async ({ folder }) => {
        place = folder
        const program = {
          command: process.execPath,
          args: ['-e', 'console.error("no such option"); process.exitCode = 3'],
        }
        return {
          url: 'test:',
          servers: [{ name: 'broken', program, ready: () => Promise.reject(new Error('not yet')) }],
          version: async () => '',
        }
      },
    )
    await expect(start).rejects.toThrow(/broken did not start: exit code 3\.\nno such option/)
    expect(existsSync(place)).toBe(false)
  })
})
