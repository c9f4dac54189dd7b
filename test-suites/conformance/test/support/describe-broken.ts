import { afterAll, describe, expect, it } from 'vitest'
import { within } from '../../src/within.ts'

/** A case that hangs has failed: what is broken may never answer. */
const PATIENCE_MS = 10_000

interface Case<H> {
  readonly id: string
  readonly applies?: (harness: H) => true | string
  run(harness: H): Promise<void>
}

interface Broken<H> {
  readonly fault: string
  readonly rejectedBy: string
  harness(): H
}

/** Each broken implementation dies of the case that is named for it, and each case kills one. */
export function describeBroken<H>(
  kind: string,
  cases: readonly Case<H>[],
  broken: readonly Broken<H>[],
): void {
  const rejected = new Set<string>()
  describe(`broken: ${kind}`, () => {
    for (const { fault, rejectedBy, harness } of broken) {
      it(`${fault}: rejected by ${rejectedBy}`, async () => {
        const made = harness()
        const current = cases.find(({ id }) => id === rejectedBy)
        if (!current) throw new Error(`There is no case ${rejectedBy}`)
        expect(current.applies?.(made) ?? true).toBe(true)
        const verdict = within(PATIENCE_MS, current.id, () => current.run(made)).then(
          () => 'passed',
          (error: unknown) => String(error),
        )
        expect(await verdict).not.toBe('passed')
        rejected.add(`${fault}: ${rejectedBy}`)
      })
    }

    it('every case has a broken one that dies of it', () => {
      const named = new Set(broken.map(({ rejectedBy }) => rejectedBy))
      expect(cases.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([])
    })

    afterAll(() => {
      console.info(
        `${rejected.size} of ${broken.length} broken, of the kind ${kind}, rejected by the case named for it; ${cases.length} cases`,
      )
    })
  })
}
