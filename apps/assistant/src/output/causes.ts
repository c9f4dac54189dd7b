/** Chains of causes are short; one that leads back to itself ends here. */
const MAX_CAUSES = 20

/** What stands behind an error, from the outside in: its causes, and the errors that one of them gathers. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  const visit = (from: unknown) => {
    if (typeof from !== 'object' || from === null) return
    const { cause, errors } = from as { cause?: unknown; errors?: unknown }
    const next = [...(cause === undefined ? [] : [cause]), ...(Array.isArray(errors) ? errors : [])]
    for (const found of next) {
      if (causes.includes(found) || causes.length >= MAX_CAUSES) continue
      causes.push(found)
      visit(found)
    }
  }
  visit(error)
  return causes
}
