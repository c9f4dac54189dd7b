import { postgres, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { openSql, sqlStorage } from '../src/index.ts'
import { hasPgBouncer, startPgBouncer } from './support/pgbouncer.ts'
import { clientNames, openPg } from './support/postgres.ts'

const server = await useService(postgres, runner)

if (!hasPgBouncer) it.skip('PgBouncer (skipped: no program pgbouncer is installed)', () => {})
else if (server) {
  const bouncer = await startPgBouncer(server.url)
  afterAll(() => bouncer.stop())

  describe.each(clientNames)(
    `behind ${bouncer.version} in transaction mode, through %s,`,
    (client) => {
      // postgres.js that prepares reads rows without columns there: the documentation forbids it.
      it.each(client === 'pg' ? [true, false] : [false])(
        'many writers store each item once (prepare: %s)',
        async (prepare) => {
          const table = `bounced_${client}_${prepare}`
          const storages = await Promise.all(
            Array.from({ length: 4 }, () =>
              openSql(bouncer.url, { client, prepare, table, maxConnections: 3 }),
            ),
          )
          const texts = Array.from({ length: 80 }, (_, i) => `item ${i}`)
          await Promise.all(
            texts.map((text, i) => storages[i % 4]?.memory(`cell-${i % 5}`).addUserInput(text)),
          )
          const found: string[] = []
          for (let cell = 0; cell < 5; cell++) {
            const items = (await storages[3]?.memory(`cell-${cell}`).getItems()) ?? []
            for (const item of items) found.push(/item \d+/.exec(JSON.stringify(item))?.[0] ?? '')
          }
          expect(found.sort()).toEqual(texts.sort())
          for (const storage of storages) await storage.close()
        },
      )

      it('a transaction of the caller’s works', async () => {
        const opened = openPg(client, bouncer.url)
        const options = { table: `bounced_tx_${client}`, prepare: false }
        const storage = await sqlStorage(opened.db, options)
        await opened.db.transaction(async (tx) => {
          await (await sqlStorage(tx, options)).memory('a').addUserInput('x')
        })
        expect(await storage.memory('a').getItems()).toHaveLength(1)
        await opened.close()
      })
    },
  )
}
