import { readFileSync } from 'node:fs'
import { mongodbReplicaSet, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { expect, it } from 'vitest'
import { mongodbStorage } from '../src/index.ts'
import { withDatabase } from './support/database.ts'

const page = readFileSync(new URL('../../../docs/backends/mongodb.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => String(code))

const server = await useService(mongodbReplicaSet, runner)
if (server) {
  it(`${server.version}: what docs/backends/mongodb.md gives to mongosh answers as it says`, async () => {
    expect(blocks).toHaveLength(2)
    await withDatabase(server, async (db) => {
      const storage = await mongodbStorage(db)
      for (let i = 0; i < 12; i++) {
        await storage.memory('user-42').addUserInput(`#${i} ${'x'.repeat(20_000)}`)
      }
      // As in mongosh, a collection is a property of `db`.
      const shell = new Proxy({}, { get: (_, name) => db.collection(String(name)) })
      const run = (statement: string) => new Function('db', `return ${statement}`)(shell)
      const [find = '', aggregate = ''] = String(blocks[0]).split('\n\n')
      const newest: { entries: string[] }[] = await run(find).toArray()
      const older: { entries: string[] }[] = await run(aggregate).toArray()
      expect(older.length).toBeGreaterThan(0)
      const items = [...older, ...newest].flatMap(({ entries }) =>
        entries.map((one) => JSON.parse(one)),
      )
      expect(items).toEqual(await storage.memory('user-42').getItems())
      for (const statement of String(blocks[1]).trim().split('\n')) {
        expect(await run(statement)).toMatch(/_1/)
      }
    })
  })
}
