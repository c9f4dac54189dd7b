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
  let leave: (() => void) | undefined
  const swapped = () => {
    swap()
    // At once, not when this function goes on: the next call in the queue must find the place free.
    leave?.()
  }
  try {
    for (let race = 0; race < MAX_LOST_RACES; ) {
      let busy: Promise<void> | undefined
      let seen!: MemoryState
      let answer: MemoryState | Promise<MemoryState> | undefined
      await cell.commit(
        (current) => {
          // In its turn, not before: calls in front of it still use the compressor that they find.
          busy = leave ? undefined : compression.running
          answer = undefined
          if (busy) return undefined
          leave ??= compression.enter()
          seen = current()
          try {
            answer = ask(compressor, seen, 'not-committed')
          } catch (error) {
            // In this turn: the next add must not take the place for one where somebody compresses.
            leave()
            throw error
          }
          return answer instanceof Promise ? undefined : { state: answer }
        },
        // Fresh: a compressor that takes its time is asked once.
        { fresh: true, committed: () => answer && !(answer instanceof Promise) && swapped() },
      )
      if (busy) await busy
      else if (!(answer instanceof Promise)) return
      else if (await install(cell, seen, await answer, swapped)) return
      else race++
    }
  } finally {
    leave?.()
  }
  throw new HoldfastError(
    'CONFLICT',
    `Other writers changed the memory during ${MAX_LOST_RACES} compressions; set the compressor again.`,
    { outcome: 'not-committed' },
  )
}
