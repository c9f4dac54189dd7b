import { createStorage, type SessionDriver, type Storage } from '@holdfast/core'
import { openMongodb } from '@holdfast/mongodb'
import { openRedis } from '@holdfast/redis'
import { openS3 } from '@holdfast/s3'
import { openSql, type SqlClient } from '@holdfast/sql'
import type { Place } from './place.ts'

/** What is told to a storage when it is opened. */
export interface OpenOptions {
  readonly timeoutMs?: number
  readonly attempts?: number
}

/** What faults are tried on. */
export interface Target {
  /** Whether several processes may have it open at once. */
  readonly shared: boolean
  /** A module of Node's own that not every supported version has. */
  readonly needs?: 'node:sqlite'
  /** Its client, where another one is tried on the same server. */
  readonly through?: string
  /** Opens it as a user does. */
  open(place: Place, options?: OpenOptions): Promise<Storage>
}

/** As far up from here as from a bundle of this file. */
const EXAMPLE = new URL('../../../../examples/custom-backend/src/file-driver.js', import.meta.url)

async function openFiles({ url }: Place, options: OpenOptions = {}): Promise<Storage> {
  const { fileDriver } = (await import(EXAMPLE.href)) as { fileDriver(root: string): SessionDriver }
  return createStorage(fileDriver(url), options)
}

function openCluster({ url, natMap }: Place, options?: OpenOptions): Promise<Storage> {
  if (!natMap) return openRedis(url, options)
  const nodes = Object.values(natMap)
  return openRedis({ nodes, natMap }, options)
}

const sql: Target = { shared: true, open: ({ url }, options) => openSql(url, options) }
/** Through a client that is not the one taken by itself. */
const sqlThrough = (client: SqlClient): Target => ({
  shared: true,
  through: client,
  open: ({ url }, options) => openSql(url, { ...options, client }),
})
const mongodb: Target = { shared: true, open: ({ url }, options) => openMongodb(url, options) }

const s3: Target = {
  shared: true,
  open: ({ url, credentials }, options) => openS3(url, { ...options, credentials }),
}

/** Every backend by its name. */
export const targets = {
  sqlite: sql,
  'node-sqlite': { ...sqlThrough('node:sqlite'), needs: 'node:sqlite' },
  libsql: sql,
  files: { shared: true, open: openFiles },
  pglite: { ...sql, shared: false },
  postgres: sql,
  'postgres-js': sqlThrough('postgres'),
  mariadb: sql,
  redis: { shared: true, open: ({ url }, options) => openRedis(url, options) },
  'redis-cluster': { shared: true, open: openCluster },
  mongodb,
  'mongodb-standalone': mongodb,
  versitygw: s3,
  ceph: s3,
} satisfies Record<string, Target>

export type TargetName = keyof typeof targets

export const targetNames = Object.keys(targets) as TargetName[]

export const targetOf = (name: TargetName): Target => targets[name]
