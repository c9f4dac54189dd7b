import { HoldfastError, type Storage } from '@holdfast/core'

type Open = (url: string) => Promise<Storage>

/** What of a URL names its backend; each adapter is loaded only where it is asked for. */
const OPENERS: readonly (readonly [schemes: RegExp, open: Open])[] = [
  [
    /^(sqlite|libsql|pglite|postgres(ql)?|mysql|mariadb)$/,
    async (url) => (await import('@holdfast/sql')).openSql(url),
  ],
  [/^(rediss?|rediss?-cluster)$/, async (url) => (await import('@holdfast/redis')).openRedis(url)],
  [/^mongodb(\+srv)?$/, async (url) => (await import('@holdfast/mongodb')).openMongodb(url)],
  [/^s3$/, async (url) => (await import('@holdfast/s3')).openS3(url)],
]

/** The storage that a URL names; what stands behind the scheme is shown nowhere, it may be a password. */
export async function openStorage(url: string): Promise<Storage> {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  const [, open] = OPENERS.find(([schemes]) => scheme && schemes.test(scheme)) ?? []
  if (open) return open(url)
  throw new HoldfastError(
    'INVALID_ARGUMENT',
    `HOLDFAST_URL ${scheme ? `has the scheme ${scheme}:, which is not known` : 'has no scheme'}; it begins with sqlite:, libsql:, pglite:, postgres:, mysql:, redis:, rediss:, redis-cluster:, mongodb: or s3:.`,
  )
}
