import type { Plan } from '../oracle/operation.ts'
import { NEVER, NOTHING, type State, sameState, stateWith } from '../oracle/state.ts'
import type { KnownCompressor } from './compressors.ts'

/** The calls of a soak as the oracle's model knows them. */

export function addPlan(brings: readonly string[], active: () => readonly KnownCompressor[]): Plan {
  return {
    kind: 'add',
    brings,
    outcomes(old) {
      const added = stateWith([...old.items, ...brings], old.summary)
      const compressors = active()
      const outcomes = compressors.map(({ model }) => {
        const state = model(added)
        return state === 'throws' ? added : state
      })
      // Behind a slow compression an add is committed as it is, and shares the next one.
      if (compressors.some(({ asynchronous }) => asynchronous)) outcomes.push(added)
      return outcomes
    },
  }
}

export const clearPlan: Plan = {
  kind: 'clear',
  brings: [],
  outcomes: () => [stateWith([])],
  satisfiedBy: ({ items, summary }) => items.length === 0 && summary === undefined,
}

/** @param answered What the call says: a deletion that found nothing needs no commit. */
export function deletePlan(answer: { deleted?: boolean }): Plan {
  return {
    kind: 'delete',
    brings: [],
    outcomes: ({ exists }) => (exists ? [NOTHING] : []),
    satisfiedBy: ({ exists }) => answer.deleted === false && !exists,
  }
}

export const setSummaryPlan = (summary: string | undefined): Plan => ({
  kind: 'setSummary',
  brings: [],
  outcomes: ({ items }) => [stateWith(items, summary)],
  satisfiedBy: (state) => state.summary === summary,
})

/** Cuts the first `cut` items and adds one. */
export const updatePlan = (cut: number, added: string): Plan => ({
  kind: 'update',
  brings: [added],
  outcomes: ({ items, summary }) => [stateWith([...items.slice(cut), added], summary)],
})

export const restorePlan = (items: readonly string[], summary: string | undefined): Plan => ({
  kind: 'restore',
  brings: items,
  outcomes: () => [stateWith(items, summary)],
  // Nothing over nothing.
  satisfiedBy: (state) =>
    items.length === 0 && sameState({ ...state, exists: true }, stateWith([], summary)),
})

export function adoptPlan(items: readonly string[], answer: { adopted?: boolean }): Plan {
  return {
    kind: 'adopt',
    brings: items,
    outcomes: (old) => (old === NEVER ? [stateWith(items)] : []),
    satisfiedBy: () => answer.adopted === false,
  }
}

export const swapPlan = ({ name, compressor, asynchronous, model }: KnownCompressor): Plan => ({
  kind: `setCompressor(${name})`,
  brings: [],
  outcomes(old: State) {
    const state = model(old)
    return state === 'throws' ? [] : [{ ...state, exists: true }]
  },
  satisfiedBy(state) {
    if (!compressor || asynchronous) return true
    const wanted = model(state)
    return (
      wanted !== 'throws' &&
      wanted.items.length === state.items.length &&
      wanted.summary === state.summary
    )
  },
})
