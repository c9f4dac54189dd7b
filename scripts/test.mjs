/**
 * `npm test`: builds, runs every test once and ends with one plain line, `N passed, N failed, N skipped`.
 *
 * Arguments go to vitest: `npm test -- packages/core`, `npm test -- -t window`. With
 * HOLDFAST_COVERAGE=1 the same run measures the coverage of core and fails below 95 %.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandOf, quietEnvironment, root, runNode } from './processes.mjs'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
const summaryFile = join(folder, 'summary.json')

async function main() {
  const build = await runNode(commandOf('turbo'), ['run', 'build', '--output-logs=errors-only'])
  if (build.signal) return { stopped: build.signal }
  if (build.code !== 0) {
    console.error('The build failed, so no test ran.')
    return { code: build.code, passed: 0, failed: 1, skipped: 0 }
  }

  const args = [
    'run',
    '--reporter=default',
    `--reporter=${join(root, 'scripts/summary-reporter.mjs')}`,
  ]
  if (process.env['HOLDFAST_COVERAGE']) args.push('--coverage')
  const tests = await runNode(commandOf('vitest'), [...args, ...process.argv.slice(2)], {
    env: { ...quietEnvironment, HOLDFAST_SUMMARY: summaryFile },
  })
  if (tests.signal) return { stopped: tests.signal }

  let summary
  try {
    summary = JSON.parse(readFileSync(summaryFile, 'utf8'))
  } catch {
    console.error('vitest ended before it ran any test.')
    return { code: tests.code || 1, passed: 0, failed: 1, skipped: 0 }
  }
  const { passed, failed, skipped, unexplained } = summary
  let code = tests.code
  if (failed > 0 || unexplained.length > 0) code ||= 1
  if (passed + failed === 0) {
    console.error('No test ran.')
    code ||= 1
  }
  return { code, passed, failed, skipped }
}

const result = await main().finally(() => rmSync(folder, { recursive: true, force: true }))
if (result.stopped) {
  console.error(`Stopped by ${result.stopped}.`)
  process.exitCode = 130
} else {
  console.log(`${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped`)
  process.exitCode = result.code
}
