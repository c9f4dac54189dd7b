import { createServer } from 'node:net'

// Below the ports that systems give to outgoing connections: a server that was killed finds its port
// free when it comes back. The bus of a Redis Cluster is 10,000 above its port.
const FIRST = 10_000
const COUNT = 12_000
const TRIES = 50

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/**
 * A port of 127.0.0.1 that was free a moment ago, as was the one 10,000 above it. Somebody else may take it
 * meanwhile: who starts a server on it tries again with another (`OnFreePorts`).
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if ((await isFree(port)) && (await isFree(port + FIRST))) return port
  }
  throw new Error(`No free port among ${TRIES} between ${FIRST} and ${FIRST + COUNT}.`)
}
