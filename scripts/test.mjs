/**
 * `npm test`: builds, runs every test once and ends with one plain line, `N passed, N failed, N skipped`.
 *
 * Arguments go to vitest: `npm test -- packages/core`, `npm test -- -t window`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandOf, quietEnvironment, root, runNode } from './processes.mjs'
import { closingLine, verdict } from './verdict.mjs'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
const summaryFile = join(folder, 'summary.json')

function readSummary() {
  try {
    return JSON.parse(readFileSync(summaryFile, 'utf8'))
  } catch {
    return undefined
  }
}

async function main() {
  const build = await runNode(commandOf('turbo'), ['run', 'build', '--output-logs=errors-only'])
  if (build.stopped) return build
  if (build.code !== 0) {
    const problem = 'The build failed, so no test ran.'
    return { code: build.code, line: closingLine(0, 1, 0), problem }
  }
  const reporter = join(root, 'scripts/summary-reporter.mjs')
  const args = ['run', '--reporter=default', `--reporter=${reporter}`]
  const tests = await runNode(commandOf('vitest'), [...args, ...process.argv.slice(2)], {
    env: { ...quietEnvironment, HOLDFAST_SUMMARY: summaryFile },
  })
  return tests.stopped ? tests : verdict(readSummary(), tests.code)
}

const result = await main().finally(() => rmSync(folder, { recursive: true, force: true }))
if (result.stopped) {
  console.error(`Stopped by ${result.stopped}.`)
  process.exitCode = 130
} else {
  if (result.problem) console.error(result.problem)
  console.log(result.line)
  process.exitCode = result.code
}
