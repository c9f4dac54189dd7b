// Runs the conformance suite over node:sqlite with Node's own test runner, on a Node that has it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { testSessionDriver } from '@holdfast/conformance'
import { nodeSqliteSuite } from '../support/node-sqlite-suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-sql-'))
after(() => rmSync(folder, { recursive: true, force: true }))

testSessionDriver(nodeSqliteSuite.name, nodeSqliteSuite.in(folder), { describe, it, after })
