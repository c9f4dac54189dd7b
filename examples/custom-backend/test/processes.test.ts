import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, it } from 'vitest'
import { fileDriver } from '../src/file-driver.js'

const WRITER = fileURLToPath(new URL('./writer.js', import.meta.url))
const [PROCESSES, WRITERS, STEPS] = [4, 8, 5]

const root = await mkdtemp(join(tmpdir(), 'holdfast-processes-'))
afterAll(() => rm(root, { recursive: true, force: true }))

interface Written {
  readonly by: string
  readonly step: number
}

function start(id: string, name: number, writers: number, steps: number) {
  const child: ChildProcess = spawn(process.execPath, [
    ...[WRITER, root, id, String(name), String(writers), String(steps)],
  ])
  let said = ''
  let failed = ''
  child.stdout?.on('data', (chunk) => {
    said += chunk
  })
  child.stderr?.on('data', (chunk) => {
    failed += chunk
  })
  return {
    child,
    ended: once(child, 'close'),
    failure: () => failed,
    /** Whole lines only: a kill may cut the last one. */
    acknowledged: () =>
      said
        .slice(0, said.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(Boolean),
  }
}

async function stored(id: string): Promise<readonly string[]> {
  const found = await fileDriver(root).read(id)
  assert.ok(found && found !== 'unchanged')
  return found.entries
}

async function create(id: string): Promise<void> {
  const next = { revision: crypto.randomUUID(), head: '{}', entries: [] }
  assert.ok(await fileDriver(root).replace(id, next, null))
}

describe('processes that write one session of the file driver', () => {
  it(`${PROCESSES} processes of ${WRITERS} writers lose nothing and double nothing`, async () => {
    const id = 'm0:race'
    await create(id)
    const started = Array.from({ length: PROCESSES }, (_, name) => start(id, name, WRITERS, STEPS))
    await Promise.all(started.map((it) => it.ended))
    for (const it of started) assert.equal(it.failure(), '')
    const entries = (await stored(id)).map((entry) => JSON.parse(entry) as Written)
    assert.equal(entries.length, PROCESSES * WRITERS * STEPS)
    for (const by of new Set(entries.map((entry) => entry.by))) {
      assert.deepEqual(
        entries.filter((entry) => entry.by === by).map((entry) => entry.step),
        Array.from({ length: STEPS }, (_, step) => step),
      )
    }
  }, 180_000)

  it('a killed writer blocks nobody, and loses nothing that it acknowledged', async () => {
    for (let round = 0; round < 6; round++) {
      const id = `m0:kill ${round}`
      await create(id)
      const victim = start(id, 0, 3, 10_000)
      const survivor = start(id, 1, 1, 4)
      await new Promise((done) => setTimeout(done, 300 + Math.random() * 300))
      victim.child.kill('SIGKILL')
      await Promise.all([victim.ended, survivor.ended])
      assert.equal(survivor.failure(), '')
      const entries = await stored(id)
      const there = new Set(entries)
      assert.equal(there.size, entries.length, 'an entry is doubled')
      const missing = [...victim.acknowledged(), ...survivor.acknowledged()].filter(
        (it) => !there.has(it),
      )
      assert.deepEqual(missing, [], 'acknowledged entries are missing')
      assert.equal(survivor.acknowledged().length, 4)
      // The next commit sweeps what the killed one left behind: a pointer and the two files that it names.
      const after = start(id, 2, 1, 1)
      await after.ended
      assert.equal(after.failure(), '')
      const folder = `${Buffer.from(id).toString('hex')}=`
      assert.equal((await readdir(join(root, 'ids', folder))).length, 3)
    }
  }, 180_000)
})
