import {
  type MemoryCompressor,
  type MemorySnapshot,
  WindowedMemoryCompressor,
} from '@holdfast/core'
import { type State, stateWith } from '../oracle/state.ts'
import type { Random } from '../random.ts'

/** A compressor and what it makes of a state. Every one is a pure function, so the oracle can do the same. */
export interface KnownCompressor {
  readonly name: string
  readonly compressor: MemoryCompressor | undefined
  /** `'throws'` where it fails. */
  model(state: State): State | 'throws'
  readonly asynchronous: boolean
}

export const noCompressor: KnownCompressor = {
  name: 'none',
  compressor: undefined,
  model: (state) => state,
  asynchronous: false,
}

function windowOf(size: number): KnownCompressor {
  return {
    name: `window ${size}`,
    compressor: new WindowedMemoryCompressor(size),
    model: ({ items, summary }) =>
      stateWith(items.slice(Math.max(0, items.length - size)), summary),
    asynchronous: false,
  }
}

/** Replaces the older half of more than `size` items by a summary that names them. */
function summarise(state: State, size: number): State {
  const { items, summary } = state
  if (items.length <= size) return state
  const gone = items.length - (size >> 1)
  return stateWith(
    items.slice(gone),
    `${gone} items up to ${items[gone - 1]?.slice(-40)}, and ${summary?.length ?? 0}`,
  )
}

export const toState = ({ items, summary }: MemorySnapshot): State =>
  stateWith(
    items.map((item) => JSON.stringify(item)),
    summary,
  )

const toSnapshot = ({ items, summary }: State): MemorySnapshot => {
  const parsed = items.map((text) => JSON.parse(text))
  return summary === undefined ? { items: parsed } : { items: parsed, summary }
}

function summaryOf(size: number): KnownCompressor {
  return {
    name: `summary ${size}`,
    compressor: { compress: (snapshot) => toSnapshot(summarise(toState(snapshot), size)) },
    model: (state) => summarise(state, size),
    asynchronous: false,
  }
}

/** Fails on every state whose number of items is a multiple of three. */
function failing(size: number): KnownCompressor {
  const fails = (count: number) => count % 3 === 0
  return {
    name: `failing ${size}`,
    compressor: {
      compress(snapshot) {
        if (fails(snapshot.items.length)) throw new Error('the summariser is down')
        return toSnapshot(summarise(toState(snapshot), size))
      },
    },
    model: (state) => (fails(state.items.length) ? 'throws' : summarise(state, size)),
    asynchronous: false,
  }
}

/** As `summaryOf`, after a wait; `answered` hears what it saw and what it said. */
function slowSummaryOf(
  size: number,
  random: Random,
  answered: (seen: State, result: State) => void,
): KnownCompressor {
  return {
    name: `slow summary ${size}`,
    compressor: {
      async compress(snapshot) {
        const seen = toState(snapshot)
        const result = summarise(seen, size)
        answered(seen, result)
        await new Promise((resolve) => setTimeout(resolve, random.next() * 200))
        if (random.chance(0.1)) throw new Error('the summariser is down')
        return toSnapshot(result)
      },
    },
    model: (state) => state,
    asynchronous: true,
  }
}

/** One of all kinds. */
export function anyCompressor(
  random: Random,
  answered: (seen: State, result: State) => void,
): KnownCompressor {
  const size = random.integer(8, 48)
  switch (random.weighted({ none: 2, window: 5, summary: 2, failing: 0.5, slow: 2 })) {
    case 'none':
      return noCompressor
    case 'window':
      return windowOf(size)
    case 'summary':
      return summaryOf(size)
    case 'failing':
      return failing(size)
    case 'slow':
      return slowSummaryOf(size, random, answered)
  }
}
