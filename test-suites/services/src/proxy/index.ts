export type { Burst, DecideFate, Fate } from './fate.ts'
export { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'
export type { Traffic } from './traffic.ts'
