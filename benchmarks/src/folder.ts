import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY_DISK = '/dev/shm'

/**
 * Where the databases are: `HOLDFAST_BENCH_DIR`, else a disk in memory where the system has one. There an
 * `fsync` costs nothing, so every microsecond of ours shows; on a real disk it takes most of an append, and
 * the ratios come nearer to 1.
 */
export const parentFolder = (): string =>
  process.env['HOLDFAST_BENCH_DIR'] ?? (existsSync(MEMORY_DISK) ? MEMORY_DISK : tmpdir())

/** Says for the report where the databases were. */
export function folderKind(): string {
  const parent = parentFolder()
  if (parent === MEMORY_DISK) return 'on a disk in memory, where fsync costs nothing'
  return process.env['HOLDFAST_BENCH_DIR'] ? 'in HOLDFAST_BENCH_DIR' : 'in the temporary folder'
}

export const freshFolder = (): string => mkdtempSync(join(parentFolder(), 'holdfast-bench-'))
