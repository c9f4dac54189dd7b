import type { Service } from '@holdfast/services'
import { sqlStorage } from '@holdfast/sql'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
import pg from 'pg'
import postgres from 'postgres'
import { barePostgres, PG_APPEND } from '../bare/postgres.ts'
import type { Engine } from '../engine.ts'
import { freshName } from '../fresh-name.ts'
import { versionOf } from '../versions.ts'
import { throughProxy } from '../wire.ts'

const GOALS = { append: 1.3, roundTrips: 1 } as const
const CONNECTIONS = 4

async function openPg(url: string, name: string) {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS })
  pool.on('error', () => {})
  const prepared = new Map<string, string>()
  const nameOf = (text: string) => {
    const statement = prepared.get(text) ?? `bare_${prepared.size}`
    prepared.set(text, statement)
    return statement
  }
  return {
    storage: await sqlStorage(drizzlePg(pool), { table: name }),
    bare: await barePostgres(
      `${name}_bare`,
      async (text, values) => (await pool.query({ name: nameOf(text), text, values })).rows,
      (text) => pool.query(text),
    ),
    close: () => pool.end(),
  }
}

async function openPostgresJs(url: string, name: string) {
  const client = postgres(url, { max: CONNECTIONS, onnotice: () => {} })
  return {
    storage: await sqlStorage(drizzlePostgresJs(client), { table: name }),
    bare: await barePostgres(
      `${name}_bare`,
      (text, values) => client.unsafe(text, values, { prepare: true }),
      (text) => client.unsafe(text),
    ),
    close: () => client.end(),
  }
}

const engine =
  (client: 'pg' | 'postgres', open: typeof openPg | typeof openPostgresJs) =>
  async ({ url, version }: Service): Promise<Engine> => {
    const table = freshName()
    const sides = await open(url, table)
    return {
      name: `PostgreSQL, ${client === 'pg' ? 'pg' : 'postgres.js'}`,
      version: `${version}, ${versionOf(client)}`,
      bareAppend: PG_APPEND,
      goals: GOALS,
      storage: sides.storage,
      bare: sides.bare,
      wired: () => throughProxy(url, (proxied) => open(proxied, table)),
      close: () => sides.close(),
    }
  }

export const postgresByPg = engine('pg', openPg)
export const postgresByPostgresJs = engine('postgres', openPostgresJs)
