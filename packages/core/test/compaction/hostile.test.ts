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

function transcript(random: () => number): AgentItem[] {
  const items = Array.from({ length: Math.floor(random() * 16) }, () => hostileItem(random))
  return JSON.parse(JSON.stringify(items))
}

test(`${SEEDS} random transcripts, every window and every maxItems: well paired, the input untouched, the unfinished turn whole`, () => {
  let prompts = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seeded(seed)
    const all = transcript(random)
    const pinned = Math.floor(random() * 4)
    for (const projector of projectors) {
      for (let size = 0; size <= all.length; size++) {
        const window = size ? all.slice(-size) : []
        const before = JSON.stringify(window)
        const say = (what: string) =>
          `seed ${seed}, ${projector.constructor.name}, last ${size}: ${what}`
        const whole = projector.project(window, {})
        expect(faultsOf(whole.items), say('no budget')).toEqual([])
        expect(JSON.stringify(window), say('the input')).toBe(before)
        // What is well-formed comes back as it is, and a prompt is well-formed.
        const again = projector.project(whole.items, {})
        expect(again.items, say('again')).toEqual(whole.items)
        expect(again.report.repairs, say('again')).toEqual([])

        const summary = window[0]?.['role'] === 'system' ? 1 : 0
        const finished = finishedLength(whole.items.slice(summary)) + summary
        const maxItems = 1 + Math.floor(random() * 12)
        const budget = { maxItems, pinnedPrefixItems: pinned, maxRecentToolResults: maxItems % 3 }
        const { items, report } = projector.project(window, {
          ...budget,
          ...(maxItems % 2 ? { maxApproxChars: 30 * maxItems, trimOldReasoning: true } : {}),
        })
        prompts += 2
        expect(faultsOf(items), say(JSON.stringify(budget))).toEqual([])
        const unfinished = whole.items.slice(finished)
        expect(items.slice(items.length - unfinished.length), say('unfinished')).toEqual(unfinished)
        if (summary) expect(items[0], say('summary')).toEqual(whole.items[0])
        if (!report.overBudget) expect(items.length).toBeLessThanOrEqual(maxItems)
        // JSON escapes half a surrogate pair.
        expect(JSON.stringify(items), say('well-formed')).not.toMatch(/\\ud[89a-f]/i)
        expect(report.itemsAfter).toBe(items.length)
        expect(report.approxCharsAfter).toBe(
          items.reduce((sum, item) => sum + JSON.stringify(item).length, 0),
        )
        expect(report.dropped).toBe(whole.items.length - items.length)
      }
    }
  }
  console.log(`${prompts} prompts checked`)
})

test(`${SEEDS} random transcripts, every cut: no pair and no reasoning parted`, () => {
  const shown = projectors[0] as DefaultContextProjector
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { items } = shown.project(transcript(seeded(seed)), {})
    for (let at = 0; at <= items.length; at++) {
      const cut = safeCut(items, at)
      expect(cut).toBeLessThanOrEqual(at)
      for (const part of [items.slice(0, cut), items.slice(cut)]) {
        expect(faultsOf(part), `seed ${seed}, cut at ${at}`).toEqual([])
      }
    }
    const finished = finishedLength(items)
    expect(safeCut(items, finished), `seed ${seed}`).toBe(finished)
  }
})
