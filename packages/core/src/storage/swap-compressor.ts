import type { MemoryCompressor } from '../contracts/memory-compressor.ts'
import { HoldfastError } from '../errors.ts'
import {
  ask,
  type Compression,
  install,
  MAX_LOST_RACES,
  type StateCell,
} from '../memory/compression.ts'
import type { MemoryState } from '../memory/memory-state.ts'

/**
 * RULE compressor swap: rewrites what is stored by `compressor` and then calls `swap`; if it fails, neither
 * state nor compressor has changed. One compression at a time: it waits for one that is under way.
 */
export async function swapCompressor(
  compression: Compression,
  cell: StateCell,
  compressor: MemoryCompressor,
  swap: () => void,
): Promise<void> {
  while (compression.running) await compression.running
  const leave = compression.enter()
  const swapped = () => {
    swap()
    // At once, not when this function goes on: the next call in the queue must find the place free.
    leave()
  }
  try {
    for (let race = 0; race < MAX_LOST_RACES; race++) {
      let seen!: MemoryState
      let answer!: MemoryState | Promise<MemoryState>
      await cell.commit(
        (current) => {
          seen = current()
          answer = ask(compressor, seen, 'not-committed')
          return answer instanceof Promise ? undefined : { state: answer }
        },
        // Fresh: a compressor that takes its time is asked once.
        { fresh: true, committed: () => answer instanceof Promise || swapped() },
      )
      if (!(answer instanceof Promise)) return
      if (await install(cell, seen, await answer, swapped)) return
    }
  } finally {
    leave()
  }
  throw new HoldfastError(
    'CONFLICT',
    `Other writers changed the memory during ${MAX_LOST_RACES} compressions; set the compressor again.`,
    { outcome: 'not-committed' },
  )
}
