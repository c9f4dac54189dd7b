import { invalid } from '@holdfast/core/adapter'

const FORMS =
  "'redis://host:6379', 'rediss://user:password@host:6380/0' or 'redis-cluster://host:7001,host:7002'"
const NOT_A_URL = `The URL is none that openRedis knows: use ${FORMS}.`

/** What ioredis takes to make a client. */
export type Address =
  | { readonly kind: 'single'; readonly options: Record<string, unknown> }
  | {
      readonly kind: 'cluster'
      readonly nodes: readonly unknown[]
      readonly options: Record<string, unknown>
    }

/** Reads where to connect to. What a URL holds is not shown in messages: it may be a password. */
export function addressOf(target: unknown): Address {
  if (typeof target === 'string') return fromUrl(target)
  if (target === null || typeof target !== 'object' || Array.isArray(target)) {
    const given = target === null ? 'null' : Array.isArray(target) ? 'an array' : typeof target
    throw invalid(`openRedis takes a URL or the options of a connection, got ${given}: ${FORMS}.`)
  }
  if ('evalsha' in target) {
    throw invalid('This is a client: for one of your own call redisStorage(client).')
  }
  if (target instanceof URL) return fromUrl(target.href)
  if (!('nodes' in target)) return { kind: 'single', options: { ...target } }
  const { nodes, ...options } = target as Record<string, unknown>
  if (!Array.isArray(nodes) || nodes.length === 0) {
    throw invalid("nodes must be a list of addresses, such as [{ host: 'host', port: 7001 }].")
  }
  return { kind: 'cluster', nodes, options }
}

function fromUrl(url: string): Address {
  const [, scheme = '', rest = ''] = /^(rediss?|rediss?-cluster):\/\/(.+)$/i.exec(url.trim()) ?? []
  const tls = scheme.toLowerCase().startsWith('rediss') ? { tls: {} } : {}
  const at = rest.lastIndexOf('@')
  const { hosts, path } = split(rest.slice(at + 1))
  const parts = hosts.split(',').map(hostAndPort)
  const [first] = parts
  if (scheme === '' || first === undefined || parts.includes(undefined)) throw invalid(NOT_A_URL)
  const login = at < 0 ? {} : credentials(rest.slice(0, at))
  if (scheme.toLowerCase().endsWith('-cluster')) {
    // A cluster has one database, number 0.
    if (path !== '' && path !== '0')
      throw invalid('A cluster has no databases: leave out the path.')
    return { kind: 'cluster', nodes: parts, options: { redisOptions: { ...login, ...tls } } }
  }
  if (parts.length > 1) throw invalid(`Several hosts are a cluster: use redis-cluster://.`)
  if (!/^\d*$/.test(path)) throw invalid('The path of a redis: URL is the number of a database.')
  const db = path === '' ? {} : { db: Number(path) }
  return { kind: 'single', options: { ...first, ...login, ...db, ...tls } }
}

function split(text: string): { hosts: string; path: string } {
  if (/[?#]/.test(text)) throw invalid('Give further settings as an object, not in the URL.')
  const [hosts = '', path = '', ...more] = text.split('/')
  if (more.length > 0) throw invalid(NOT_A_URL)
  return { hosts, path }
}

function hostAndPort(text: string): { host: string; port: number } | undefined {
  const [, v6, name, port = '6379'] = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d+))?$/.exec(text) ?? []
  const host = v6 ?? name
  return host !== undefined && Number(port) > 0 && Number(port) < 65_536
    ? { host, port: Number(port) }
    : undefined
}

function credentials(text: string): { username?: string; password?: string } {
  try {
    const [user = '', ...rest] = text.split(':')
    const [username, password] = [user, rest.join(':')].map(decodeURIComponent)
    return { ...(username && { username }), ...(password && { password }) }
  } catch {
    throw invalid('User or password in the URL are not percent-encoded right.')
  }
}
