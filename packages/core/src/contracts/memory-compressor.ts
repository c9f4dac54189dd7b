import type { MemorySnapshot } from './agent-memory.ts'

/**
 * Shortens a memory while it is written to.
 *
 * `compress` gets its own copy of the whole would-be state and returns the state to keep. It may run
 * again when another writer was faster, so it must not rely on running once. A synchronous answer is
 * part of the add's one commit; a promise is awaited after the add was stored uncompressed.
 *
 * The add that started it waits for it, so it must not wait for an add to the same memory, and it should
 * have a timeout of its own. An answer that is no snapshot, a throw or a rejection is `COMPRESSION_FAILED`.
 */
export interface MemoryCompressor {
  /** The state to keep in place of `snapshot`, or `snapshot` itself where it is short enough. */
  compress(snapshot: MemorySnapshot): MemorySnapshot | Promise<MemorySnapshot>
}
