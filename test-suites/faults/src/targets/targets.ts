import { createStorage, type SessionDriver, type Storage } from '@holdfast/core'
import { openMongodb } from '@holdfast/mongodb'
import { openRedis } from '@holdfast/redis'
import { openS3 } from '@holdfast/s3'
import { openSql } from '@holdfast/sql'
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
const mongodb: Target = { shared: true, open: ({ url }, options) => openMongodb(url, options) }

const s3: Target = {
  shared: true,
  open: ({ url, credentials }, options) => openS3(url, { ...options, credentials }),
}

/** Every backend by its name. */
export const targets = {
  sqlite: sql,
  files: { shared: true, open: openFiles },
  pglite: { ...sql, shared: false },
  postgres: sql,
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
