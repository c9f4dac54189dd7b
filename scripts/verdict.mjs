/**
 * What `npm test` ends with: the exit code, and the closing line's three figures.
 *
 * @param {{ passed: number, failed: number, skipped: number, unexplained: readonly string[] } | undefined} summary
 *   what the reporter counted; nothing if vitest ended before it ran any test
 * @param {number} exitCode of vitest
 */
export function verdict(summary, exitCode) {
  if (!summary) {
    return {
      code: exitCode || 1,
      line: closingLine(0, 1, 0),
      problem: 'vitest ended before it ran any test.',
    }
  }
  const { passed, failed, skipped, unexplained } = summary
  const line = closingLine(passed, failed, skipped)
  if (passed + failed === 0) return { code: exitCode || 1, line, problem: 'No test ran.' }
  if (exitCode === 0 && unexplained.length > 0) {
    return { code: 1, line, problem: `${unexplained.length} skipped without a reason.` }
  }
  if (exitCode !== 0 && failed === 0) {
    return { code: exitCode, line, problem: 'Every test passed, but vitest failed: see above.' }
  }
  return { code: exitCode || (failed > 0 ? 1 : 0), line }
}

export const closingLine = (passed, failed, skipped) =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`
