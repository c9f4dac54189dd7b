import { watchAbort } from '../abort.ts'
import { finishedLength } from '../compaction/finished-length.ts'
import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { RunPlace } from '../contracts/agent-runtime.ts'
import type { CompactPolicy, CompactResult } from '../contracts/compaction.ts'
import { HoldfastError, wrong } from '../errors.ts'
import { cloneJson, copyJson, isRecord, WRAPPED_DEPTH } from '../json.ts'
import { sameSnapshot } from '../memory/memory-access.ts'
import { stateOf } from '../memory/memory-state.ts'
import type { Recorder } from './recorder.ts'

const head = ({ items, summary }: MemorySnapshot, length: number): MemorySnapshot => ({
  items: items.slice(0, length),
  ...(summary !== undefined && { summary }),
})

/**
 * Lets `policy` shorten what is finished, and installs its result in place of exactly what it saw: items
 * added meanwhile stay behind it, and `CONFLICT` is the answer where what it saw has changed. Nothing is
 * written, and nothing recorded, where there is nothing to shorten.
 */
export async function compactMemory(
  recorder: Recorder,
  policy: CompactPolicy,
  options: { readonly signal?: AbortSignal | undefined },
  place: RunPlace,
): Promise<CompactResult | undefined> {
  const abort = watchAbort(options.signal)
  try {
    const before = await abort.race(() => recorder.snapshot())
    const length = finishedLength(before.items)
    if (length === 0) return undefined
    const seen = head(before, length)
    const ask = async () => policy.compact(copyJson(seen), { signal: abort.signal })
    const result = checkResult(await abort.race(ask))
    if (sameSnapshot(result.memory, seen)) return result
    const { redaction } = recorder.publisher
    const { memory, ...rest } = result
    const kept = redaction.snapshot(memory, 'MEMORY_COMPRESS')
    const about = redaction.apply(rest, 'MEMORY_COMPRESS')
    const summary = kept.summary !== undefined && { summary: kept.summary }
    await recorder.change(
      'MEMORY_COMPRESS',
      (current) => {
        if (!sameSnapshot(head(current, length), seen)) throw changed()
        return { ...kept, items: [...kept.items, ...current.items.slice(length)] }
      },
      (installed) => ({ ...about, ...summary, memory: installed }),
      place,
    )
    return { ...about, ...summary, memory: kept }
  } finally {
    abort.release()
  }
}

/** A policy that answers no result has failed, and the memory stays as it is. */
function checkResult(result: unknown): CompactResult {
  if (!isRecord(result)) throw wrong('The answer of compact', 'a CompactResult', result)
  stateOf(result['memory'], 'The memory of a CompactResult')
  return cloneJson(result as unknown as CompactResult, 'The answer of compact', WRAPPED_DEPTH)
}

const changed = () =>
  new HoldfastError(
    'CONFLICT',
    'The memory changed while it was compacted, and stays as it is; compact it again.',
    { outcome: 'not-committed' },
  )
