import { writeFileSync } from 'node:fs'

/**
 * A vitest reporter that writes what the closing line needs into the file named by HOLDFAST_SUMMARY,
 * and prints each skipped test with its reason: a skip that nobody can explain fails the run.
 *
 * A reason is the note of `context.skip(note)`, or `skipped: …` in the test's full name.
 */
export default class SummaryReporter {
  #filtered = false

  onInit(vitest) {
    this.#filtered = Boolean(vitest.config.testNamePattern)
  }

  onTestRunEnd(modules, unhandledErrors, reason) {
    const summary = { passed: 0, failed: 0, skipped: 0, unexplained: [], reason }
    const skips = []
    for (const module of modules) {
      // A file that cannot be loaded has no tests that could fail: it counts as one.
      const broken = module.errors().length > 0
      if (broken) summary.failed += 1
      for (const test of module.children.allTests()) {
        const { state, note } = test.result()
        if (state === 'passed') summary.passed += 1
        else if (state === 'failed') summary.failed += 1
        else {
          summary.skipped += 1
          const why = note ?? /skipped: (.+)/.exec(test.fullName)?.[1]
          // With `-t` every other test is skipped, and the reason is on the command line.
          if (this.#filtered && why === undefined) continue
          // The tests of a file whose hook failed are skipped too: the failure explains them.
          if (why === undefined && !suiteFailed(test)) {
            summary.unexplained.push(`${module.relativeModuleId} > ${test.fullName}`)
          } else if (why !== undefined) {
            skips.push(`skipped: ${module.relativeModuleId} > ${test.fullName}: ${why}`)
          }
        }
      }
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length > 0) summary.failed += 1
      }
    }
    summary.failed += unhandledErrors.length
    for (const line of skips) console.log(line)
    for (const name of summary.unexplained) {
      console.error(`skipped without a reason: ${name}. Say why: context.skip('reason').`)
    }
    const file = process.env['HOLDFAST_SUMMARY']
    if (file) writeFileSync(file, JSON.stringify(summary))
  }
}

function suiteFailed(test) {
  for (let parent = test.parent; parent; parent = parent.parent) {
    if (parent.errors().length > 0) return true
  }
  return false
}
