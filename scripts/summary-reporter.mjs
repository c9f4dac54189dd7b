import { writeFileSync } from 'node:fs'

/**
 * A vitest reporter that writes what the closing line needs into the file named by HOLDFAST_SUMMARY,
 * and prints why tests were skipped: a skip that nobody can explain fails the run.
 *
 * A reason is the note of `context.skip(note)`, or `skipped: …` in the test's full name.
 */
export default class SummaryReporter {
  #filtered = false

  onInit(vitest) {
    this.#filtered = Boolean(vitest.config.testNamePattern)
  }

  onTestRunEnd(modules, unhandledErrors) {
    const summary = { passed: 0, failed: unhandledErrors.length, skipped: 0, unexplained: [] }
    const reasons = new Map()
    // Again at the end, where whoever sees no more than the last lines finds them.
    const failures = unhandledErrors.map((error) => `outside of every test: ${firstLine([error])}`)
    for (const module of modules) {
      const file = `${module.project.name} ${module.relativeModuleId}`.trim()
      // A file that cannot be loaded, and a hook that fails, have no test of their own that could.
      for (const part of [module, ...module.children.allSuites()]) {
        if (part.errors().length === 0) continue
        summary.failed += 1
        failures.push(`${file} > ${part.fullName ?? '(file)'}: ${firstLine(part.errors())}`)
      }
      for (const test of module.children.allTests()) {
        const { state, note, errors } = test.result()
        if (state === 'passed') summary.passed += 1
        else if (state === 'failed') {
          summary.failed += 1
          failures.push(`${file} > ${test.fullName}: ${firstLine(errors)}`)
        } else {
          summary.skipped += 1
          const why = note ?? /skipped: ([^)\]]+)/.exec(test.fullName)?.[1]
          if (why !== undefined) {
            const line = `${file}: ${why}`
            reasons.set(line, [...(reasons.get(line) ?? []), test.name])
          } else if (!this.#filtered && !suiteFailed(test)) {
            // With `-t` every other test is skipped, and the tests of a file whose hook failed are
            // skipped too: the command line and the failure explain them.
            summary.unexplained.push(`${file} > ${test.fullName}`)
          }
        }
      }
    }
    for (const [line, names] of reasons) {
      const [first] = names
      console.log(`skipped ${names.length === 1 ? `"${first}"` : names.length}, ${line}`)
    }
    for (const name of summary.unexplained) {
      console.error(`skipped without a reason: ${name}. Say why: context.skip('reason').`)
    }
    for (const failure of failures) console.error(`failed: ${failure}`)
    const target = process.env['HOLDFAST_SUMMARY']
    if (target) writeFileSync(target, JSON.stringify(summary))
  }
}

const firstLine = (errors) => String(errors[0]?.message ?? errors[0]).split('\n', 1)[0]

function suiteFailed(test) {
  for (let parent = test.parent; parent; parent = parent.parent) {
    if (parent.errors().length > 0) return true
  }
  return false
}
