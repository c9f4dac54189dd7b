import { once } from 'node:events'
import { createServer, connect as dial, type Socket } from 'node:net'

/** Stands between a client and a server, and may cut the connection instead of passing an answer on. */
export interface Proxy {
  readonly url: string
  /** How many answers were swallowed. */
  readonly cuts: number
  /** Asked at each answer: whether to swallow it and cut the connection. */
  when(cut: () => boolean): void
  close(): void
}

export async function proxyOf(port: number): Promise<Proxy> {
  let cut = () => false
  let cuts = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = dial(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (answer) => {
      if (!cut()) return void client.write(answer)
      cuts++
      client.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    get cuts() {
      return cuts
    },
    when(decide) {
      cut = decide
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
