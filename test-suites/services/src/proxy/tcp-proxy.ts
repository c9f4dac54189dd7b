import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { BurstStream } from './burst-stream.ts'
import { Exchange } from './exchange.ts'
import type { DecideFate } from './fate.ts'
import { type Traffic, TrafficCounter } from './traffic.ts'

/** A proxy in front of one server, which counts what passes and can break it. */
export interface TcpProxy {
  /** The URL of the server with the proxy's address in place of its own. */
  readonly url: string
  readonly port: number
  /** All that passed since the proxy began. */
  traffic(): Traffic
  /** Ends every connection of this moment, as a server does that dies. New ones are taken. */
  disconnect(): void
  /** Ends every connection and takes no more. */
  close(): Promise<void>
}

/**
 * Opens a proxy on a free port of this machine in front of the server of `url`, which must name its port.
 * `decide` is asked once for each burst, before any byte of it goes on; without it all pass.
 */
export async function openTcpProxy(url: string, decide?: DecideFate): Promise<TcpProxy> {
  const { hostname, port: target } = new URL(url)
  if (target === '') throw new Error('The URL of a server behind a proxy must name its port.')
  const counter = new TrafficCounter()
  /** Each ends one connection. */
  const ends = new Set<() => void>()

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const upstream = connect({
      host: hostname,
      port: Number(target),
      allowHalfOpen: true,
      noDelay: true,
    })
    const exchange = new Exchange(counter.connection(), counter, decide)
    const requests = new BurstStream(exchange, 'request', end)
    const answers = new BurstStream(exchange, 'answer', end)
    function end() {
      for (const stream of [requests, answers]) stream.destroy()
      for (const socket of [client, upstream]) socket.resetAndDestroy()
    }
    for (const socket of [client, upstream]) {
      socket.on('error', end)
      socket.on('close', () => ends.delete(end))
    }
    ends.add(end)
    client.pipe(requests).pipe(upstream)
    upstream.pipe(answers).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = `${port}`
  const disconnect = () => {
    for (const end of ends) end()
  }
  return {
    url: through.href,
    port,
    traffic: () => counter.read(),
    disconnect,
    async close() {
      disconnect()
      server.close()
      await once(server, 'close')
    },
  }
}
