import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testSessionDriver } from '@holdfast/conformance'
import * as runner from 'vitest'
import { fileDriver } from '../src/file-driver.js'

// The suite makes tens of thousands of writes, each with four flushes. On a disk they take 20 ms together;
// in memory the rules are the same. The race in `processes.test.ts` runs on the disk.
const folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const root = await mkdtemp(join(folder, 'holdfast-files-'))
runner.afterAll(() => rm(root, { recursive: true, force: true }))

testSessionDriver(
  'files',
  { connect: async () => ({ driver: fileDriver(root), close: async () => {} }) },
  runner,
)
