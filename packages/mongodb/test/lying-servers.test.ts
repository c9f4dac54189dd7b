import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mongodbStandalone, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbStorage, openMongodb } from '../src/index.ts'
import { withDatabase } from './support/database.ts'
import { failure } from './support/failure.ts'
import { lies, lying } from './support/lies.ts'

const server = await useService(mongodbStandalone, runner)
if (server) {
  describe(`${server.version} behind a double`, () => {
    it.each(Object.entries(lies))('that %s is refused', async (_, lie) => {
      await withDatabase(server, async (db) => {
        const error = await failure(mongodbStorage(lying(db, lie)))
        expect(error).toMatchObject({ code: 'UNSUPPORTED' })
        expect(error.message).toContain('racing')
      })
    })

    it('that does not lie is taken, ten times', async () => {
      await withDatabase(server, async (db) => {
        for (let i = 0; i < 10; i++) {
          const storage = await mongodbStorage(lying(db))
          await storage.memory('a').addUserInput('x')
          expect(await storage.memory('a').getItems()).toHaveLength(i + 1)
        }
      })
    })
  })
}

/** A real server that lies: FerretDB 1.24.2, where the program is on `PATH`. */
async function startFerret(): Promise<{ url: string; stop(): void } | undefined> {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(Object(address).port))
    })
  })
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-ferretdb-'))
  const child = spawn(
    'ferretdb',
    [
      ...['--handler=sqlite', `--sqlite-url=file:${folder}/`, `--state-dir=${folder}`],
      ...[`--listen-addr=127.0.0.1:${port}`, '--debug-addr=-', '--telemetry=disable'],
    ],
    { stdio: 'ignore' },
  )
  const stop = () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  const started = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true)).once('error', () => resolve(false))
  })
  if (started) return { url: `mongodb://127.0.0.1:${port}/holdfast`, stop }
  stop()
  return undefined
}

const ferret = await startFerret()
if (ferret) runner.afterAll(ferret.stop)
describe('FerretDB 1 on SQLite', () => {
  it.skipIf(!ferret)(
    ferret
      ? 'is refused, each of five times'
      : 'is refused (skipped: there is no program ferretdb on PATH)',
    async () => {
      for (let i = 0; i < 5; i++) {
        const error = await failure(openMongodb(String(ferret?.url)))
        expect(error).toMatchObject({ code: 'UNSUPPORTED' })
      }
    },
  )
})
