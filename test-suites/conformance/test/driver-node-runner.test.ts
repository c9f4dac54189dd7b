import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { MemoryDriver } from '@holdfast/core'
import { it } from 'vitest'
import { sessionDriverSuite } from '../src/index.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('./node-runner.ts', import.meta.url))
const root = fileURLToPath(new URL('../../../', import.meta.url))

it("the suite runs on Node's own test runner", async () => {
  const { stdout } = await run(
    process.execPath,
    ['--import', 'tsx', '--test', '--test-reporter=tap', program],
    {
      cwd: root,
      maxBuffer: 64 * 1_048_576,
      // The paths of this configuration let `@holdfast/core` mean its sources.
      env: { ...process.env, TSX_TSCONFIG_PATH: 'tsconfig.base.json', NODE_OPTIONS: '' },
    },
  ).catch((error: { stdout?: string }) => assert.fail(error.stdout?.slice(-3_000) ?? String(error)))
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(stdout)?.[1])
  const driver = new MemoryDriver()
  const { cases } = sessionDriverSuite({ connect: async () => ({ driver, close: async () => {} }) })
  assert.equal(count('fail'), 0)
  assert.ok(count('skipped') >= 19, 'cases that do not apply are skipped')
  assert.ok(count('pass') + count('skipped') > cases.length, `${count('pass')} of ${cases.length}`)
  console.info(`node:test: ${count('pass')} passed, ${count('skipped')} skipped`)
}, 300_000)
