import { InMemoryAgentMemory, type MemoryCompressor, type MemorySnapshot } from '@holdfast/core'
import { type BrokenMemory, inProcess } from './broken-memory.ts'

export type Compress = MemoryCompressor['compress']

/** Hands the compressor over in a way of its own. */
export const withCompressor = (
  fault: string,
  rejectedBy: string,
  wrap: (compressor: MemoryCompressor) => Compress,
): BrokenMemory =>
  inProcess(
    fault,
    rejectedBy,
    ({ compressor }) =>
      new InMemoryAgentMemory(compressor && { compressor: { compress: wrap(compressor) } }),
  )

/** `next` on the answer of a compressor, be it a promise or not. */
export function whenAnswered(
  answer: MemorySnapshot | Promise<MemorySnapshot>,
  next: (answer: MemorySnapshot) => MemorySnapshot,
): MemorySnapshot | Promise<MemorySnapshot> {
  return answer instanceof Promise ? answer.then(next) : next(answer)
}
