import { type DecideFate, openTcpProxy, type TcpProxy } from '@holdfast/services'
import type { Place } from './place.ts'

/** A place behind proxies. */
export interface Proxied {
  readonly place: Place
  /** Ends every connection of this moment. */
  disconnect(): void
  close(): Promise<void>
}

/** The same place, with everything on its way to it and back passing `decide`. */
export async function openProxied(place: Place, decide: DecideFate): Promise<Proxied> {
  const proxies: TcpProxy[] = []
  const through = async (url: string) => {
    const proxy = await openTcpProxy(url, decide)
    proxies.push(proxy)
    return proxy
  }
  return {
    place: { ...place, ...(await behind(place.url, through)) },
    disconnect() {
      for (const proxy of proxies) proxy.disconnect()
    },
    async close() {
      for (const proxy of proxies) await proxy.close()
    },
  }
}

async function behind(url: string, through: (url: string) => Promise<TcpProxy>): Promise<Place> {
  if (url.startsWith('redis-cluster:')) {
    const natMap: Record<string, { host: string; port: number }> = {}
    for (const node of url.replace('redis-cluster://', '').split(',')) {
      natMap[node] = { host: '127.0.0.1', port: (await through(`redis://${node}`)).port }
    }
    return { url, natMap }
  }
  if (url.startsWith('s3:')) {
    const inner = new URL(url)
    const endpoint = inner.searchParams.get('endpoint') ?? ''
    inner.searchParams.set('endpoint', (await through(endpoint)).url.replace(/\/$/, ''))
    return { url: inner.href }
  }
  const proxy = await through(url)
  // A client that knows of a replica set goes to the address that the set names, past the proxy.
  return { url: proxy.url.replace(/replicaSet=\w+/, 'directConnection=true') }
}
