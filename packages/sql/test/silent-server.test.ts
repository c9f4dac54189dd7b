import { createServer, type Server, type Socket } from 'node:net'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import postgresJs from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSql, sqlStorage } from '../src/index.ts'

const options = { timeoutMs: 300 }

describe('opening at a server that takes connections and says nothing', () => {
  const sockets = new Set<Socket>()
  let server: Server
  let address = ''

  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    address = `127.0.0.1:${port}`
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  it.each<[string, () => Promise<unknown>]>([
    ['pg', () => openSql(`postgres://u@${address}/d`, options)],
    ['mysql2', () => openSql(`mysql://u@${address}/d`, options)],
    ['libSQL over HTTP', () => openSql(`libsql:http://${address}`, options)],
    ['libSQL over WebSocket', () => openSql(`libsql:ws://${address}`, options)],
    [
      'a pool of pg',
      () => {
        const pool = new pg.Pool({ connectionString: `postgres://u@${address}/d` })
        return sqlStorage(drizzlePg(pool.on('error', () => {})), options)
      },
    ],
    [
      'postgres.js',
      () => sqlStorage(drizzlePostgresJs(postgresJs(`postgres://u@${address}/d`)), options),
    ],
    [
      'a pool of mysql2',
      () => sqlStorage(drizzleMysql(createPool(`mysql://u@${address}/d`)), options),
    ],
  ])('%s: ends in time', async (_, open) => {
    await expect(open()).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringMatching(/could not be|cannot be|did not answer/),
    })
  })
})
