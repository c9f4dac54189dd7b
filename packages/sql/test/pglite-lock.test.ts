import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSql } from '../src/index.ts'
import { lockFolder } from '../src/pglite-lock.ts'
import { temporaryFolder } from './support/engines.ts'
import { buildPrograms, type Programs } from './support/programs.ts'

const { path: root, remove } = temporaryFolder()
let programs: Programs
let count = 0

function newFolder(name = `folder-${count++}`): string {
  const folder = join(root, name)
  mkdirSync(folder, { recursive: true })
  return folder
}

async function mustLock(folder: string): Promise<() => Promise<void>> {
  const lock = await lockFolder(folder)
  if ('heldBy' in lock) throw new Error(`held by ${lock.heldBy}`)
  return lock.release
}

const sockets = (folder: string) => readdirSync(join(folder, '.holdfast-lock'))

beforeAll(async () => {
  programs = await buildPrograms('hold-lock', 'hold-pglite')
})
afterAll(() => {
  programs.remove()
  remove()
})

describe('the lock on a folder', () => {
  it('is had once in one process, and again after its release', async () => {
    const folder = newFolder()
    const release = await mustLock(folder)
    expect(await lockFolder(folder)).toEqual({ heldBy: `${process.pid}` })
    await release()
    expect(sockets(folder)).toEqual([])
    await (await mustLock(folder))()
  })

  it('is had by exactly one of eight calls at once in one process', async () => {
    const folder = newFolder()
    const locks = await Promise.all(Array.from({ length: 8 }, () => lockFolder(folder)))
    const got = locks.filter((lock) => 'release' in lock)
    expect(got).toHaveLength(1)
    await Promise.all(got.map((lock) => lock.release()))
  })

  it('is had by exactly one of eight processes at once, and by the next one after a kill -9', async () => {
    const folder = newFolder()
    for (let round = 0; round < 3; round++) {
      const contenders = Array.from({ length: 8 }, () => programs.start('hold-lock', [folder]))
      const said = await Promise.all(
        contenders.map((it) =>
          Promise.race([it.said('got it').then(() => 'got it'), it.ended.then(() => 'lost')]),
        ),
      )
      expect(said.filter((it) => it === 'got it')).toHaveLength(1)
      const holder = contenders[said.indexOf('got it')]
      for (const [i, it] of contenders.entries()) {
        if (said[i] === 'lost') {
          expect((await it.ended).output).toBe(`held by ${holder?.child.pid}\n`)
        }
      }
      await holder?.kill()
    }
    await (await mustLock(folder))()
    // What the dead ones left was removed.
    expect(sockets(folder)).toEqual([])
  })

  it('is not held by a dead process whose id a living one has now', async () => {
    const folder = newFolder()
    const holder = programs.start('hold-lock', [folder])
    await holder.said('got it')
    await holder.kill()
    // As in a container that starts again: the new process has the id that the dead one had.
    const place = join(folder, '.holdfast-lock')
    for (const name of sockets(folder)) {
      renameSync(join(place, name), join(place, name.replace(/^\d+/, `${process.pid}`)))
    }
    expect(sockets(folder)).toHaveLength(2)
    await (await mustLock(folder))()
  })

  it('is still held by a process that is stopped', async () => {
    const folder = newFolder()
    const holder = programs.start('hold-lock', [folder])
    await holder.said('got it')
    holder.child.kill('SIGSTOP')
    expect(await lockFolder(folder)).toEqual({ heldBy: `${holder.child.pid}` })
    holder.child.kill('SIGCONT')
    await holder.kill()
    await (await mustLock(folder))()
  })

  it('is refused, not taken elsewhere, where this process may not write', async (context) => {
    if (process.getuid?.() === 0) {
      const folder = newFolder()
      // Root may write everywhere but into what is no folder.
      writeFileSync(join(folder, '.holdfast-lock'), '')
      await expect(lockFolder(folder)).rejects.toThrow()
      return
    }
    if (process.platform === 'win32') return context.skip('Windows has a pipe instead')
    const folder = newFolder()
    mkdirSync(join(folder, '.holdfast-lock'), { mode: 0o500 })
    await expect(lockFolder(folder)).rejects.toThrow('EACCES')
  })

  it('works in a folder whose path is longer than a socket address can be', async () => {
    const folder = newFolder(`${'deep/'.repeat(10)}${'x'.repeat(120)}`)
    const holder = programs.start('hold-lock', [folder])
    await holder.said('got it')
    expect(await lockFolder(folder)).toEqual({ heldBy: `${holder.child.pid}` })
    await holder.kill()
    const release = await mustLock(folder)
    await release()
  })
})

describe('openSql on a PGlite folder', () => {
  it('is CONFLICT while another process has it, and opens with everything acknowledged after its kill -9', async () => {
    const folder = join(root, 'not-yet/database')
    const holder = programs.start('hold-pglite', [folder])
    await holder.said('stored')
    const refused = await openSql(`pglite:${folder}`).catch((error) => error)
    expect(refused).toMatchObject({ code: 'CONFLICT' })
    expect(refused.message).toContain(folder)
    expect(refused.message).toContain(`${holder.child.pid}`)
    await holder.kill()

    const storage = await openSql(`pglite:${folder}`)
    expect(await storage.memory('kept').getItems()).toHaveLength(1)
    await expect(openSql(`pglite:${folder}/../database`)).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    await storage.close()

    // A process that ends without closing leaves nothing in the way either, and the lock does not keep it alive.
    const careless = await programs.start('hold-pglite', [folder, 'leave']).ended
    expect(careless).toEqual({ code: 0, output: 'stored\n' })
    const again = await openSql(`pglite:${folder}`)
    expect(await again.memory('kept').getItems()).toHaveLength(2)
    await again.close()
  }, 180_000)
})
