import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DecideFate, openTcpProxy, type TcpProxy } from '../src/index.ts'

/** Answers each line by the same line with `!` behind it. */
let server: Server
let seen: string[]
let proxy: TcpProxy | undefined
let clients: Socket[]

beforeEach(async () => {
  seen = []
  clients = []
  server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      seen.push(`${bytes}`)
      socket.write(`${bytes}!`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  for (const client of clients) client.destroy()
  await proxy?.close()
  proxy = undefined
  server.close()
})

const address = () => `tcp://user@127.0.0.1:${(server.address() as AddressInfo).port}/path`

interface Line {
  /** Sends, and answers what came back within the time; `'ended'` if the connection did instead. */
  ask(text: string, withinMs?: number): Promise<string | undefined>
  end(): void
}

async function line(decide?: DecideFate): Promise<Line> {
  proxy ??= await openTcpProxy(address(), decide)
  const socket = connect(proxy.port, '127.0.0.1')
  clients.push(socket)
  const received: string[] = []
  let wake = () => {}
  const hear = (text: string) => {
    received.push(text)
    wake()
  }
  socket.on('error', () => {})
  socket.on('data', (bytes) => hear(`${bytes}`))
  socket.on('close', () => hear('ended'))
  await once(socket, 'connect')
  return {
    async ask(text, withinMs = 2_000) {
      socket.write(text)
      if (received.length === 0) {
        const waiting = new AbortController()
        wake = () => waiting.abort()
        await sleep(withinMs, undefined, { signal: waiting.signal }).catch(() => {})
      }
      return received.shift()
    },
    end: () => socket.end(),
  }
}

const answersAfter =
  (number: number, fate: ReturnType<DecideFate>): DecideFate =>
  (burst) =>
    burst.direction === 'answer' && burst.number > number ? fate : 'pass'

describe('a TCP proxy', () => {
  it('passes bytes on and counts them, and each answer as one round trip', async () => {
    const one = await line()
    expect(await one.ask('a')).toBe('a!')
    expect(await one.ask('bb')).toBe('bb!')
    const other = await line()
    expect(await other.ask('ccc')).toBe('ccc!')
    expect(proxy?.traffic()).toEqual({
      connections: 2,
      roundTrips: 3,
      requestBytes: 6,
      answerBytes: 9,
    })
  })

  it('counts a greeting as no round trip', async () => {
    server.on('connection', (socket) => socket.write('hello'))
    const one = await line()
    expect(await one.ask('', 2_000)).toBe('hello')
    expect(proxy?.traffic().roundTrips).toBe(0)
    expect(await one.ask('a')).toBe('a!')
    expect(proxy?.traffic().roundTrips).toBe(1)
  })

  it('passes 20 MB both ways whole', async () => {
    proxy = await openTcpProxy(address())
    const socket = connect(proxy.port, '127.0.0.1')
    clients.push(socket)
    let count = 0
    socket.on('data', (bytes) => {
      count += bytes.length
      if (count >= 20_000_000) socket.end()
    })
    socket.write(Buffer.alloc(20_000_000, 'x'))
    await once(socket, 'close')
    // One `!` for each piece that the server saw.
    expect(count).toBe(20_000_000 + seen.length)
    expect(proxy.traffic().requestBytes).toBe(20_000_000)
    expect(proxy.traffic().answerBytes).toBe(count)
  })

  it('keeps the rest of the URL', async () => {
    proxy = await openTcpProxy(address())
    expect(proxy.url).toBe(`tcp://user@127.0.0.1:${proxy.port}/path`)
    await expect(openTcpProxy('tcp://127.0.0.1/path')).rejects.toThrow('must name its port')
  })

  it('tells which burst it decides upon', async () => {
    const bursts: string[] = []
    const decide: DecideFate = ({ direction, connection, number, bytes }) => {
      bursts.push(`${connection} ${direction} ${number} ${Buffer.from(bytes)}`)
      return 'pass'
    }
    const one = await line(decide)
    await one.ask('a')
    const other = await line()
    await other.ask('b')
    await one.ask('c')
    expect(bursts).toEqual([
      '1 request 1 a',
      '1 answer 1 a!',
      '2 request 1 b',
      '2 answer 1 b!',
      '1 request 2 c',
      '1 answer 2 c!',
    ])
  })

  it('cuts an answer: the server did the work', async () => {
    const one = await line(answersAfter(1, 'cut'))
    expect(await one.ask('a')).toBe('a!')
    expect(await one.ask('b')).toBe('ended')
    expect(seen).toEqual(['a', 'b'])
    expect(proxy?.traffic().answerBytes).toBe(4)
  })

  it('cuts a request: the server never sees it', async () => {
    const one = await line(({ direction }) => (direction === 'request' ? 'cut' : 'pass'))
    expect(await one.ask('a')).toBe('ended')
    expect(seen).toEqual([])
  })

  it('swallows an answer and all behind it, and the connection stays open', async () => {
    const one = await line(answersAfter(1, 'swallow'))
    expect(await one.ask('a')).toBe('a!')
    expect(await one.ask('b', 100)).toBeUndefined()
    expect(await one.ask('c', 100)).toBeUndefined()
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  it('delays an answer', async () => {
    const one = await line(answersAfter(0, { delayMs: 150 }))
    const begin = performance.now()
    expect(await one.ask('a')).toBe('a!')
    expect(performance.now() - begin).toBeGreaterThan(140)
  })

  it('brings a delayed request to the server after the client has gone', async () => {
    const one = await line(({ direction }) => (direction === 'request' ? { delayMs: 100 } : 'pass'))
    expect(await one.ask('late', 20)).toBeUndefined()
    for (const client of clients) client.destroy()
    await sleep(20)
    expect(seen).toEqual([])
    await expect.poll(() => seen).toEqual(['late'])
  })

  it('ends the connections of the moment, and takes new ones', async () => {
    const one = await line()
    expect(await one.ask('a')).toBe('a!')
    proxy?.disconnect()
    expect(await one.ask('b')).toBe('ended')
    const other = await line()
    expect(await other.ask('c')).toBe('c!')
  })

  it('ends the connection of a client where the server does not answer', async () => {
    proxy = await openTcpProxy(address())
    server.close()
    await once(server, 'close')
    const one = await line()
    expect(await one.ask('a')).toBe('ended')
  })
})
