import { expect, test } from 'vitest'
import { finishedLength, safeCut } from '../../src/compaction/finished-length.ts'
import {
  type AgentItem,
  DefaultContextProjector,
  TypeAwareContextProjector,
} from '../../src/index.ts'
import { faultsOf, hostileItem, seeded } from './support.ts'

const SEEDS = 2_000
const projectors = [new DefaultContextProjector(), new TypeAwareContextProjector()]

const RIGHT = {
  faults: [],
  untouched: true,
  stable: true,
  unfinished: true,
  summaryFirst: true,
  within: true,
  wellFormed: true,
  counted: true,
}

function transcript(random: () => number): AgentItem[] {
  const items = Array.from({ length: Math.floor(random() * 16) }, () => hostileItem(random))
  return JSON.parse(JSON.stringify(items))
}

test(`${SEEDS} random transcripts, every window and a random budget: well paired, the input untouched, the unfinished turn whole`, () => {
  let prompts = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seeded(seed)
    const all = transcript(random)
    const pinnedPrefixItems = Math.floor(random() * 4)
    for (const projector of projectors) {
      for (let size = 0; size <= all.length; size++) {
        const window = size ? all.slice(-size) : []
        const before = JSON.stringify(window)
        const maxItems = 1 + Math.floor(random() * 12)
        const budget = {
          maxItems,
          pinnedPrefixItems,
          maxRecentToolResults: maxItems % 3,
          ...(maxItems % 2 ? { maxApproxChars: 30 * maxItems, trimOldReasoning: true } : {}),
        }
        const whole = projector.project(window, {})
        const again = projector.project(whole.items, {})
        const { items, report } = projector.project(window, budget)
        prompts += 2

        const summary = window[0]?.['role'] === 'system' ? 1 : 0
        const finished = finishedLength(whole.items.slice(summary)) + summary
        const same = (left: unknown, right: unknown) =>
          JSON.stringify(left) === JSON.stringify(right)
        const unfinished = whole.items.slice(finished)
        const said = {
          faults: [...faultsOf(whole.items), ...faultsOf(items)],
          untouched: before === JSON.stringify(window),
          // What is well-formed comes back as it is.
          stable: same(again.items, whole.items) && again.report.repairs.length === 0,
          unfinished: same(items.slice(items.length - unfinished.length), unfinished),
          summaryFirst: !summary || same(items[0], window[0]),
          within: report.overBudget || items.length <= maxItems,
          // JSON escapes half a surrogate pair.
          wellFormed: !/\\ud[89a-f]/i.test(JSON.stringify(items)),
          counted:
            report.itemsAfter === items.length &&
            report.dropped === whole.items.length - items.length &&
            report.approxCharsAfter ===
              items.reduce((sum, item) => sum + JSON.stringify(item).length, 0),
        }
        if (same(said, RIGHT)) continue
        expect(
          said,
          `seed ${seed}, ${projector.constructor.name}, last ${size}, ${JSON.stringify(budget)}`,
        ).toEqual(RIGHT)
      }
    }
  }
  console.log(`${prompts} prompts checked`)
  expect(prompts).toBeGreaterThan(SEEDS * 4)
})

test(`${SEEDS} random transcripts, every cut: no pair and no reasoning parted`, () => {
  const shown = projectors[0] as DefaultContextProjector
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { items } = shown.project(transcript(seeded(seed)), {})
    for (let at = 0; at <= items.length; at++) {
      const cut = safeCut(items, at)
      if (cut > at) expect(cut, `seed ${seed}`).toBeLessThanOrEqual(at)
      for (const part of [items.slice(0, cut), items.slice(cut)]) {
        const faults = faultsOf(part)
        if (faults.length) expect(faults, `seed ${seed}, cut at ${at}`).toEqual([])
      }
    }
    const finished = finishedLength(items)
    expect(safeCut(items, finished), `seed ${seed}`).toBe(finished)
  }
})
