// @ts-check
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileDriver } from './file-driver.js'

const given = process.env['HOLDFAST_FILES']
const root = given ?? mkdtempSync(join(tmpdir(), 'holdfast-files-'))
if (given === undefined) process.on('exit', () => rmSync(root, { recursive: true, force: true }))

/** What `holdfast-conformance ./src/harness.js` runs: each call stands for one more process on one storage. */
export default {
  connect: async () => ({ driver: fileDriver(root), close: async () => {} }),
}
