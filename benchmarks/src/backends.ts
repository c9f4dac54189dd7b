import {
  cephRgw,
  mariadb,
  mongodbReplicaSet,
  postgres,
  redis,
  redisCluster,
  type Service,
  type ServiceSetup,
  versitygw,
} from '@holdfast/services'
import type { Engine } from './engine.ts'
import { libsqlFile } from './engines/libsql.ts'
import { mariadbByMysql2 } from './engines/mariadb.ts'
import { mongodbEngine } from './engines/mongodb.ts'
import { nodeSqlite } from './engines/node-sqlite.ts'
import { pglite } from './engines/pglite.ts'
import { postgresByPg, postgresByPostgresJs } from './engines/postgres.ts'
import { redisClusterEngine, redisEngine } from './engines/redis.ts'
import { s3Engine } from './engines/s3.ts'
import { betterSqlite3 } from './engines/sqlite.ts'

/** One server, or one embedded database, with the engines over it. */
export interface Backend {
  /** What `--only` calls it. */
  readonly id: string
  readonly name: string
  /** Hands each engine to `use`, one after the other; a server runs only meanwhile. */
  each(use: (open: () => Promise<Engine>) => Promise<void>): Promise<void>
}

const AWAKE_MS = 60_000

const embedded = (id: string, name: string, open: () => Promise<Engine>): Backend => ({
  id,
  name,
  each: (use) => use(open),
})

function served<S extends Service>(
  id: string,
  setup: ServiceSetup<S>,
  engines: readonly ((service: S) => Promise<Engine>)[],
): Backend {
  return {
    id,
    name: setup.name,
    async each(use) {
      // A server that is started does not keep its process alive, nor does waiting for it.
      const awake = setInterval(() => {}, AWAKE_MS)
      const url = setup.variable === undefined ? undefined : process.env[setup.variable]
      try {
        const service = await (url && setup.connect ? setup.connect(url) : setup.start())
        try {
          for (const open of engines) await use(() => open(service))
        } finally {
          await service.stop()
        }
      } finally {
        clearInterval(awake)
      }
    },
  }
}

export const backends: readonly Backend[] = [
  embedded('sqlite', 'SQLite', betterSqlite3),
  embedded('node-sqlite', 'SQLite, node:sqlite', nodeSqlite),
  embedded('libsql', 'libSQL, file', libsqlFile),
  embedded('pglite', 'PGlite', pglite),
  served('postgres', postgres, [postgresByPg, postgresByPostgresJs]),
  served('mariadb', mariadb, [mariadbByMysql2]),
  served('redis', redis, [redisEngine]),
  served('redis-cluster', redisCluster, [redisClusterEngine]),
  served('mongodb', mongodbReplicaSet, [mongodbEngine]),
  served('s3-versitygw', versitygw, [s3Engine('versitygw')]),
  served('s3-ceph', cephRgw, [s3Engine('Ceph RGW')]),
]

/** What is measured without a backend. */
export const PARTS = ['core', 'runtime'] as const

export interface Selection {
  readonly backends: readonly Backend[]
  readonly parts: readonly (typeof PARTS)[number][]
}

/** `redis,s3`: each word names a backend or part, or those that begin with it and a hyphen. None: all. */
export function select(only: string | undefined): Selection {
  if (only === undefined) return { backends, parts: PARTS }
  const words = only.split(',').map((word) => word.trim())
  const ids = [...backends.map(({ id }) => id), ...PARTS]
  const named = (id: string) => words.some((word) => id === word || id.startsWith(`${word}-`))
  for (const word of words) {
    if (!ids.some((id) => id === word || id.startsWith(`${word}-`))) {
      throw new RangeError(`There is no backend "${word}". There are: ${ids.join(', ')}.`)
    }
  }
  return {
    backends: backends.filter(({ id }) => named(id)),
    parts: PARTS.filter(named),
  }
}
