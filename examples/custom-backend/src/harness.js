// @ts-check
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileDriver } from './file-driver.js'

const root = process.env['HOLDFAST_FILES'] ?? (await mkdtemp(join(tmpdir(), 'holdfast-files-')))

/** What `holdfast-conformance ./src/harness.js` runs: each call stands for one more process on one storage. */
export default {
  connect: async () => ({ driver: fileDriver(root), close: async () => {} }),
}
