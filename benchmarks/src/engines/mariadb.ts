import type { Service } from '@holdfast/services'
import { sqlStorage } from '@holdfast/sql'
import { drizzle } from 'drizzle-orm/mysql2'
import { createPool } from 'mysql2/promise'
import { bareMysql, MYSQL_APPEND } from '../bare/mysql.ts'
import type { Engine } from '../engine.ts'
import { freshName } from '../fresh-name.ts'
import { versionOf } from '../versions.ts'
import { throughProxy } from '../wire.ts'

async function open(url: string, table: string) {
  const pool = createPool({ uri: url, connectionLimit: 16 })
  return {
    storage: await sqlStorage(drizzle({ client: pool }), { table }),
    bare: await bareMysql(`${table}_bare`, () => pool.getConnection()),
    close: () => pool.end(),
  }
}

export async function mariadbByMysql2({ url, version }: Service): Promise<Engine> {
  const table = freshName()
  return {
    name: `${version.split(' ')[0]}, mysql2`,
    version: `${version}, ${versionOf('mysql2')}`,
    bareAppend: MYSQL_APPEND,
    goals: { append: 1.3, roundTrips: 4 },
    ...(await open(url, table)),
    wired: () => throughProxy(url, (proxied) => open(proxied, table)),
  }
}
