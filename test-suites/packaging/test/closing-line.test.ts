import { spawn } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { binary, run } from '../src/command.ts'
import { exists, readJson, root } from '../src/repository.ts'
import { remove, temporaryFolder, writeFiles } from '../src/temporary.ts'

interface Summary {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly unexplained: readonly string[]
}

interface Verdict {
  readonly code: number
  readonly line: string
  readonly problem?: string
}

const script = (name: string) => pathToFileURL(join(root, 'scripts', name)).href
const { verdict } = (await import(script('verdict.mjs'))) as {
  verdict(summary: Summary | undefined, exitCode: number): Verdict
}

const head = "import { expect, it, describe, beforeAll } from 'vitest'\n"

describe('the closing line of npm test', () => {
  let folder: string
  beforeAll(() => {
    folder = temporaryFolder()
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  })
  afterAll(() => remove(folder))

  /** Runs test files with our reporter, in a project of their own. */
  async function summaryOf(name: string, files: Record<string, string>, ...args: string[]) {
    const project = join(folder, name)
    writeFiles(project, {
      'vitest.config.mjs': 'export default { test: { watch: false } }\n',
      ...files,
    })
    const file = join(project, 'summary.json')
    const finished = await run(
      process.execPath,
      [
        binary('vitest'),
        'run',
        `--reporter=${join(root, 'scripts/summary-reporter.mjs')}`,
        ...args,
      ],
      {
        cwd: project,
        env: { ...process.env, HOLDFAST_SUMMARY: file, VITEST: '' },
      },
    )
    return {
      ...finished,
      summary: exists(file) ? readJson<Summary>(file) : undefined,
    }
  }

  it('counts what passed, failed and was skipped, and prints why', async () => {
    const { summary, output, code } = await summaryOf('mixed', {
      'a.test.mjs': `${head}it('one', () => {})\nit('two', () => {})\nit('three', () => expect(1).toBe(2))\n`,
      'b.test.mjs': `${head}it('noted', (context) => context.skip('no server here'))\nit.skip('named (skipped: no disk)', () => {})\n`,
    })
    expect(summary).toMatchObject({ passed: 2, failed: 1, skipped: 2, unexplained: [] })
    expect(output).toMatch(/^failed: a\.test\.mjs > three: expected 1 to be 2/m)
    expect(output).toMatch(/^skipped "noted", b\.test\.mjs: no server here$/m)
    expect(output).toMatch(/^skipped "named \(skipped: no disk\)", b\.test\.mjs: no disk$/m)
    expect(verdict(summary, code)).toEqual({ code: 1, line: '2 passed, 1 failed, 2 skipped' })
  })

  it('fails on a skip without a reason', async () => {
    const { summary, output, code } = await summaryOf('silent', {
      'a.test.mjs': `${head}it('one', () => {})\nit.skip('two', () => {})\nit.todo('three')\n`,
    })
    expect(summary?.unexplained).toEqual(['a.test.mjs > two', 'a.test.mjs > three'])
    expect(output).toContain('skipped without a reason: a.test.mjs > two')
    expect(code).toBe(0)
    expect(verdict(summary, code)).toMatchObject({ code: 1, line: '1 passed, 0 failed, 2 skipped' })
  })

  it('counts a file that cannot be loaded and a hook that fails, and blames no skip on them', async () => {
    const { summary, output, code } = await summaryOf('broken', {
      'a.test.mjs': "import './missing.mjs'\n",
      'b.test.mjs': `${head}describe('x', () => { beforeAll(() => { throw new Error('no') }); it('one', () => {}) })\n`,
      'c.test.mjs': `${head}it('one', () => {})\n`,
    })
    expect(summary).toMatchObject({ passed: 1, failed: 2, unexplained: [] })
    expect(output).toMatch(/^failed: a\.test\.mjs > \(file\): .*missing\.mjs/m)
    expect(output).toMatch(/^failed: b\.test\.mjs > x: no$/m)
    expect(verdict(summary, code).code).toBe(1)
  })

  it('counts an error outside of every test', async () => {
    const { summary, code } = await summaryOf('loose', {
      'a.test.mjs': `${head}it('one', async () => { Promise.reject(new Error('loose')); await new Promise((r) => setTimeout(r, 20)) })\n`,
    })
    expect(summary).toMatchObject({ passed: 1, failed: 1 })
    expect(verdict(summary, code)).toMatchObject({ code: 1, line: '1 passed, 1 failed, 0 skipped' })
  })

  it('takes the filter of the command line as the reason', async () => {
    const files = { 'a.test.mjs': `${head}it('one', () => {})\nit('two', () => {})\n` }
    const { summary, code } = await summaryOf('filtered', files, '-t', 'one')
    expect(summary).toMatchObject({ passed: 1, skipped: 1, unexplained: [] })
    expect(verdict(summary, code)).toMatchObject({ code: 0 })
  })

  it('fails where no test ran', async () => {
    const { summary, code } = await summaryOf('none', { 'a.test.mjs': head })
    expect(verdict(summary, code).code).toBe(1)
    expect(verdict({ passed: 0, failed: 0, skipped: 3, unexplained: [] }, 0)).toMatchObject({
      code: 1,
    })
    expect(verdict(undefined, 0)).toMatchObject({ code: 1, line: '0 passed, 1 failed, 0 skipped' })
  })

  it('keeps the exit code of a run whose tests passed and whose coverage did not', () => {
    const summary = { passed: 3, failed: 0, skipped: 0, unexplained: [] }
    expect(verdict(summary, 1)).toMatchObject({ code: 1, line: '3 passed, 0 failed, 0 skipped' })
    expect(verdict(summary, 0)).toEqual({ code: 0, line: '3 passed, 0 failed, 0 skipped' })
  })
})

describe('stopping npm test', () => {
  it.skipIf(process.platform === 'win32')(
    'ends what its children started too (skipped: signals of this kind are for POSIX systems)',
    async () => {
      const folder = temporaryFolder()
      const pidFile = join(folder, 'pid')
      writeFiles(folder, {
        'grandchild.mjs': `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(pidFile)}, String(process.pid))\nprocess.on('SIGTERM', () => {})\nsetInterval(() => {}, 1000)\n`,
        'child.mjs': `import { spawn } from 'node:child_process'\nspawn(process.execPath, [${JSON.stringify(join(folder, 'grandchild.mjs'))}], { stdio: 'ignore' })\nsetInterval(() => {}, 1000)\n`,
        'parent.mjs': `import { runNode } from ${JSON.stringify(script('processes.mjs'))}\nconst { stopped } = await runNode(${JSON.stringify(join(folder, 'child.mjs'))}, [])\nconsole.log(stopped)\n`,
      })
      try {
        const parent = spawn(process.execPath, [join(folder, 'parent.mjs')], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        let stdout = ''
        parent.stdout.setEncoding('utf8').on('data', (text: string) => {
          stdout += text
        })
        const closed = new Promise((resolve) => parent.on('close', resolve))
        await expect
          .poll(() => exists(pidFile) && readFileSync(pidFile, 'utf8'), { timeout: 20_000 })
          .toBeTruthy()
        const pid = Number(readFileSync(pidFile, 'utf8'))
        parent.kill('SIGTERM')
        await closed
        expect(stdout.trim()).toBe('SIGTERM')
        await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
      } finally {
        remove(folder)
      }
    },
  )
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A process that ended and was not waited for still has its number.
    if (process.platform === 'linux')
      return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    return true
  } catch {
    return false
  }
}
