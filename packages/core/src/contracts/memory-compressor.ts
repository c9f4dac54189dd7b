import type { MemorySnapshot } from './agent-memory.ts'

/**
 * Shortens a memory while it is written to.
 *
 * `compress` gets its own copy of the whole would-be state and returns the state to keep. It may run
 * again when another writer was faster, so it must not rely on running once. A synchronous answer is
 * part of the add's one commit; a promise is awaited after the add was stored uncompressed.
 */
export interface MemoryCompressor {
  compress(snapshot: MemorySnapshot): MemorySnapshot | Promise<MemorySnapshot>
}
