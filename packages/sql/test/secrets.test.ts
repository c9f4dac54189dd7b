import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { HoldfastError } from '@holdfast/core'
import { mariadb, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { openSql } from '../src/index.ts'
import { temporaryFolder } from './support/engines.ts'
import { openHranaServer } from './support/hrana-server.ts'

const { path: folder, remove } = temporaryFolder()
afterAll(remove)

/** As it may stand in a URL without being escaped, and where it needs that. */
const SECRET = 'hush7hush'

/** Opens a URL that must fail; answers the code, and that nothing reachable from the error holds the secret. */
async function refused(url: string, options: Parameters<typeof openSql>[1] = {}) {
  const error: unknown = await openSql(url, { timeoutMs: 1_000, ...options }).then(
    async (storage) => {
      await storage.close()
      return new Error('it opened')
    },
    (reason: unknown) => reason,
  )
  const all = [
    inspect(error, { depth: null, showHidden: true, maxStringLength: null }),
    String((error as Error).stack),
    JSON.stringify(error),
  ].join('\n')
  expect(all.replaceAll(/\s+at .*secrets\.test.*/g, '')).not.toMatch(/hush/i)
  expect(error, all).toBeInstanceOf(HoldfastError)
  return error as HoldfastError
}

async function tcpServer(talk: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    talk(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** PostgreSQL that asks for a password in clear text and refuses every one. */
function refusePassword(socket: Socket): void {
  let asked = false
  socket.on('data', () => {
    if (!asked) {
      asked = true
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
      return
    }
    const fields = 'SFATAL\0C28P01\0Mpassword authentication failed for user "me"\0\0'
    const head = Buffer.alloc(5)
    head.write('E')
    head.writeInt32BE(4 + Buffer.byteLength(fields), 1)
    socket.end(Buffer.concat([head, Buffer.from(fields)]))
  })
}

const server = await useService(mariadb, runner)

/** What some of the clients read, in a way of their own, and others do not. */
const unread: ReadonlySet<string> = new Set([
  `//me:${SECRET}%@127.0.0.1:1/db`,
  `//me:${SECRET}@127.0.0.1:1/db%`,
  `//me:${SECRET}@127.0.0.1:1/db?ssl=%7B%22key%22:`,
  `//me:${SECRET}@127.0.0.1:1/db?ssl=${SECRET}`,
  `//me:${SECRET}@127.0.0.1:1/db?sslcert=/${SECRET}/none`,
])

const schemes = [
  { name: 'pg', scheme: 'postgres', options: { client: 'pg' } },
  { name: 'postgres.js', scheme: 'postgres', options: { client: 'postgres' } },
  { name: 'mysql2', scheme: 'mysql', options: {} },
  { name: 'mysql2 as mariadb', scheme: 'mariadb', options: {} },
] as const

describe.each(schemes)('a URL for $name', ({ scheme, options }) => {
  it.each([
    `//me:${SECRET}@host:port/db`,
    `//me:${SECRET}@host:99999/db`,
    `//me:${SECRET}@host:-1/db`,
    `//me:${SECRET}@[::/db`,
    `//me:${SECRET}@:x/db`,
    // Characters that had to be escaped: what is behind them is a host, a database, an option to the client.
    `//me:${SECRET}/${SECRET}@127.0.0.1:1/db`,
    `//127.0.0.1:1/${SECRET}@127.0.0.1:1/db`,
    `//127.0.0.1:1?${SECRET}@127.0.0.1:1/db`,
    `//127.0.0.1:1#${SECRET}@127.0.0.1:1/db`,
    `//127.0.0.1:1/db#${SECRET}`,
    `//me:${SECRET}@127.0.0.1:1/db?port=${SECRET}`,
    `:${SECRET}`,
    `/${SECRET}`,
    ...unread,
  ])('that is wrong shows no secret: %s', async (rest) => {
    expect(await refused(`${scheme}:${rest}`, options)).toMatchObject({
      code: expect.stringMatching(
        unread.has(rest) ? /^(STORAGE_FAILED|INVALID_ARGUMENT)$/ : /^INVALID_ARGUMENT$/,
      ),
    })
  })

  it('of a host that is not there is STORAGE_FAILED', async () => {
    for (const at of ['127.0.0.1:1', 'no-such-host.invalid']) {
      const url = `${scheme}://me:${SECRET}@${at}/db?password=${SECRET}`
      expect(await refused(url, options)).toMatchObject({ code: 'STORAGE_FAILED' })
    }
  })

  it('of a server that says nothing, or nonsense, is STORAGE_FAILED', async () => {
    for (const talk of [
      () => {},
      (socket: Socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      (socket: Socket) => void socket.end(),
    ]) {
      const strange = await tcpServer(talk)
      const url = `${scheme}://me:${SECRET}@127.0.0.1:${strange.port}/db`
      try {
        expect(await refused(url, options)).toMatchObject({ code: 'STORAGE_FAILED' })
      } finally {
        strange.close()
      }
    }
  })
})

describe('a wrong password', () => {
  it.each(['pg', 'postgres'] as const)(
    'for PostgreSQL through %s is STORAGE_FAILED',
    async (client) => {
      const strict = await tcpServer(refusePassword)
      const error = await refused(`postgres://me:${SECRET}@127.0.0.1:${strict.port}/db`, { client })
      strict.close()
      expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
      expect(error.message).toContain('password authentication failed')
    },
  )

  if (server) {
    it(`for ${server.version} is STORAGE_FAILED`, async () => {
      const url = new URL(server.url)
      url.username = 'nobody'
      url.password = SECRET
      expect(await refused(url.href)).toMatchObject({ code: 'STORAGE_FAILED' })
    })
  }
})

describe('a URL for libSQL', () => {
  it.each([
    `http://me:${SECRET}@127.0.0.1:1`,
    `https://${SECRET}@127.0.0.1:1`,
    `ws://me:${SECRET}@127.0.0.1:1`,
    `//me:${SECRET}@127.0.0.1:1`,
    `http://me:${SECRET}/x@127.0.0.1:1`,
    `//127.0.0.1:port?authToken=${SECRET}`,
    `//127.0.0.1:99999?authToken=${SECRET}`,
    `//[?authToken=${SECRET}`,
    `//?authToken=${SECRET}`,
    `http:///?authToken=${SECRET}`,
    `http://127.0.0.1:1?authToken=${SECRET}%`,
    `http://127.0.0.1:1?${SECRET}=1`,
    `http://127.0.0.1:1?tls=${SECRET}`,
    `http://127.0.0.1:1?tls=1&authToken=${SECRET}`,
    `https://127.0.0.1:1?tls=0&authToken=${SECRET}`,
    `//127.0.0.1?tls=0&authToken=${SECRET}`,
    `//127.0.0.1:1#${SECRET}`,
    `http://127.0.0.1:1?authToken=${SECRET}%0Ax`,
    `ws://127.0.0.1:1?authToken=${SECRET}%E2%82%AC`,
    `http:${SECRET}`,
  ])('that is wrong is INVALID_ARGUMENT: %s', async (rest) => {
    const error = await refused(`libsql:${rest}`)
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', outcome: 'not-committed' })
    expect(error.cause).toBeUndefined()
  })

  it('of a host that is not there is STORAGE_FAILED', async () => {
    for (const scheme of ['http:', 'ws:', 'https:', 'wss:', '']) {
      for (const at of ['127.0.0.1:1', 'no-such-host.invalid:1']) {
        const error = await refused(`libsql:${scheme}//${at}?authToken=${SECRET}`)
        expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
      }
    }
  })

  it('of a server that refuses the token, or says nothing, or nonsense, is STORAGE_FAILED', async () => {
    for (const status of [400, 401, 403, 404]) {
      const strict = await openHranaServer(join(folder, 'strict.db'), () => ({
        status,
        body: 'no',
      }))
      const error = await refused(`libsql:${strict.url}?authToken=${SECRET}`)
      await strict.close()
      expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    }
    for (const talk of [
      (socket: Socket) => void socket.end('nonsense\r\n'),
      (socket: Socket) => void socket.end(),
    ]) {
      for (const scheme of ['http', 'ws', 'https', 'wss']) {
        const strange = await tcpServer(talk)
        const error = await refused(
          `libsql:${scheme}://127.0.0.1:${strange.port}?authToken=${SECRET}`,
        )
        strange.close()
        expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
      }
    }
  })
})
