/** The nodes that a URL of a cluster names. */
export function nodesOf(url: string): { host: string; port: number }[] {
  return url
    .replace(/^.*:\/\//, '')
    .split(',')
    .map((node) => new URL(`redis://${node}`))
    .map(({ hostname, port }) => ({ host: hostname, port: Number(port) }))
}
