import { mongodbReplicaSet } from './mongodb/replica-set.ts'
import { mongodbStandalone } from './mongodb/standalone.ts'
import { redisCluster } from './redis/cluster.ts'
import { redis } from './redis/standalone.ts'
import { cephRgw } from './s3/ceph-rgw.ts'
import { versitygw } from './s3/versitygw.ts'
import { mariadb } from './sql/mariadb.ts'
import { postgres } from './sql/postgres.ts'

/** Every server that a storage opens by its URL, by the name that commands give it. */
export const everyServer = {
  postgres,
  mariadb,
  redis,
  'redis-cluster': redisCluster,
  mongodb: mongodbReplicaSet,
  'mongodb-standalone': mongodbStandalone,
  versitygw,
  ceph: cephRgw,
}
