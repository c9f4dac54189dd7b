import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../src/command.ts'
import { installedPackages, kilobytes, sizeOf } from '../src/installed.ts'
import { npm, pack } from '../src/npm.ts'
import { published } from '../src/repository.ts'
import { remove, temporaryFolder, writeFiles } from '../src/temporary.ts'

const harness = (driver: string) => `import { MemoryDriver } from '@holdfast/core'
${driver}
export default { connect: async () => ({ driver, close: async () => {} }) }
`

describe('holdfast-conformance from its tarball, in an empty folder', () => {
  let folder: string
  beforeAll(async () => {
    folder = join(temporaryFolder(), 'suite')
    mkdirSync(folder)
    writeFiles(folder, {
      'package.json': JSON.stringify({ name: 'suite', private: true, type: 'module' }),
      'right.js': harness('const driver = new MemoryDriver()'),
      // Conditional writes accepted and ignored: the fault that only races and stale writers show.
      'lying.js': harness(`const inner = new MemoryDriver()
const driver = {
  read: (id, options) => inner.read(id, options),
  list: (query) => inner.list(query),
  async replace(id, next) {
    const now = await inner.read(id)
    return inner.replace(id, next, now)
  },
}`),
    })
    const wanted = published().filter(({ manifest }) => /\/(core|conformance)$/.test(manifest.name))
    const tarballs = await Promise.all(wanted.map((one) => pack(one, join(folder, 'tarballs'))))
    await npm(['install', '--offline', '--no-audit', '--no-fund', ...tarballs], folder)
  })
  afterAll(() => remove(join(folder, '..')))

  /** The command as npm links it; on Windows the link is a shell script, so the file behind it. */
  const command = (...args: string[]) =>
    process.platform === 'win32'
      ? run(process.execPath, ['node_modules/@holdfast/conformance/dist/cli.js', ...args], {
          cwd: folder,
        })
      : run(join(folder, 'node_modules/.bin/holdfast-conformance'), args, { cwd: folder })

  it('brings core and nothing else', () => {
    expect(installedPackages(folder)).toEqual(['@holdfast/conformance', '@holdfast/core'])
    console.log(
      `installed size, conformance + core: ${kilobytes(sizeOf(join(folder, 'node_modules')))}`,
    )
  })

  it('accepts a right driver', async () => {
    const { code, output } = await command('./right.js')
    expect([code, code === 0 ? '' : output.slice(-2_000)]).toEqual([0, ''])
  })

  it('rejects a driver that ignores what it was told to expect, by the cases named for it', async () => {
    const only = ['replace-stale', 'race-counter', 'values-heads'].flatMap((id) => ['--only', id])
    const { code, stdout, output } = await command('./lying.js', '--json', ...only)
    expect([code, code === 1 ? '' : output]).toEqual([1, ''])
    const { verdicts } = JSON.parse(stdout) as { verdicts: { id: string; status: string }[] }
    const failed = verdicts.filter(({ status }) => status === 'failed').map(({ id }) => id)
    expect([...new Set(failed)].toSorted()).toEqual(['race-counter', 'replace-stale'])
  })

  it('says what is wrong with a module that is not there', async () => {
    const { code, output } = await command('./missing.js')
    expect(code).not.toBe(0)
    expect(output).toContain('missing.js')
  })
})
