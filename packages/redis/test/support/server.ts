import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** A Redis of a test's own, with the settings it asks for. */
export interface TestServer {
  readonly port: number
  readonly url: string
  /** Where its files are. */
  readonly folder: string
  kill(): Promise<void>
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts `redis-server` with `args` in a folder of its own, and waits for its answer. */
export function startServer(...args: readonly string[]): Promise<TestServer> {
  return start((folder) => [...args, '--dir', folder, '--save', ''])
}

/** Starts a Sentinel, which keeps a file of its own. */
export function startSentinel(): Promise<TestServer> {
  return start((folder) => {
    const file = join(folder, 'sentinel.conf')
    writeFileSync(file, '')
    return [file, '--sentinel']
  })
}

async function start(settings: (folder: string) => readonly string[]): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-redis-'))
  const port = await freePort()
  const args = [...settings(folder), '--port', `${port}`, '--bind', '127.0.0.1']
  const child = spawn('redis-server', args, { stdio: 'ignore' })
  running.add(child)
  const exited = once(child, 'exit')
  const url = `redis://127.0.0.1:${port}`
  await answering(url)
  return {
    port,
    url,
    folder,
    async kill() {
      child.kill('SIGKILL')
      await exited
      running.delete(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answering(url: string): Promise<void> {
  const deadline = Date.now() + 15_000
  for (;;) {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.ping()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await sleep(20)
    } finally {
      client.disconnect()
    }
  }
}

/** Waits until `done` answers true. */
export async function until(done: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error(`It took too long: ${what}`)
    await sleep(20)
  }
}
