import { openTcpProxy, type TcpProxy, type Traffic } from '@holdfast/services'

/** The sum of what passed through several proxies: a cluster has one for each node. */
export function sumOf(proxies: readonly TcpProxy[]): Traffic {
  const sum = { connections: 0, roundTrips: 0, requestBytes: 0, answerBytes: 0 }
  for (const proxy of proxies) {
    const { connections, roundTrips, requestBytes, answerBytes } = proxy.traffic()
    sum.connections += connections
    sum.roundTrips += roundTrips
    sum.requestBytes += requestBytes
    sum.answerBytes += answerBytes
  }
  return sum
}

/** One server behind a proxy: what `open` makes of the proxy's URL, with the traffic and an end to both. */
export async function throughProxy<Sides extends object>(
  url: string,
  open: (url: string) => Promise<Sides & { close(): Promise<unknown> }>,
): Promise<Sides & { traffic(): Traffic; close(): Promise<void> }> {
  const proxy = await openTcpProxy(url)
  const sides = await open(proxy.url)
  return {
    ...sides,
    traffic: () => proxy.traffic(),
    async close() {
      await sides.close()
      await proxy.close()
    },
  }
}
