import { connect, createServer, type Server, type Socket } from 'node:net'

const HEADER = 16
/** Behind the header: flags, the kind of the first section, the length of its document. */
const BODY = HEADER + 4 + 1 + 4
const OP_MSG = 2013

/** A way to a server on which answers can be lost behind the command that they answer, or never come. */
export class CuttingProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #loses: (command: string) => boolean = () => false
  #swallows: (command: string) => boolean = () => false
  /** How many answers were lost. */
  lost = 0

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const upstream = connect(port, '127.0.0.1')
      let cut = false
      let silent = false
      let rest = Buffer.alloc(0)
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          this.#sockets.delete(socket)
          client.destroy()
          upstream.destroy()
        })
      }
      client.on('data', (chunk) => {
        rest = Buffer.concat([rest, chunk])
        while (rest.length >= HEADER && rest.length >= rest.readInt32LE(0)) {
          const length = rest.readInt32LE(0)
          const name = commandOf(rest.subarray(0, length))
          if (name !== undefined && this.#loses(name)) cut = true
          if (name !== undefined && this.#swallows(name)) silent = true
          upstream.write(rest.subarray(0, length))
          rest = rest.subarray(length)
        }
      })
      upstream.on('data', (chunk) => {
        if (silent) return
        if (!cut) return void client.write(chunk)
        // The server has done what it was asked for.
        this.lost++
        client.destroy()
      })
    })
  }

  static async open(port: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return Object(this.#server.address()).port
  }

  /** Loses the answers to the commands of which `loses` says so. */
  lose(loses: (command: string) => boolean): void {
    this.#loses = loses
  }

  /** Keeps the answers to the commands of which `swallows` says so, and all behind them on their connections. */
  swallow(swallows: (command: string) => boolean): void {
    this.#swallows = swallows
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** The name of a command is that of the first element of its document. */
function commandOf(message: Buffer): string | undefined {
  if (message.readInt32LE(12) !== OP_MSG) return undefined
  const start = BODY + 1
  return message.subarray(start, message.indexOf(0, start)).toString()
}
