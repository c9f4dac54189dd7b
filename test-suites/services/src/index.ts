export { everyServer } from './every-server.ts'
export { mongodbReplicaSet } from './mongodb/replica-set.ts'
export { mongodbStandalone } from './mongodb/standalone.ts'
export { plainRunner } from './plain-runner.ts'
export { newerNode } from './process/newer-node.ts'
export {
  type Burst,
  type DecideFate,
  type Fate,
  openTcpProxy,
  type TcpProxy,
  type Traffic,
} from './proxy/index.ts'
export { redisCluster } from './redis/cluster.ts'
export { type RedisFailover, redisFailover } from './redis/failover.ts'
export { redis } from './redis/standalone.ts'
export { cephRgw } from './s3/ceph-rgw.ts'
export { awsEnvironment, type S3Credentials, type S3Service } from './s3/s3-service.ts'
export { versitygw } from './s3/versitygw.ts'
export { type Service, type ServiceSetup, Unavailable } from './service.ts'
export { mariadb } from './sql/mariadb.ts'
export { postgres } from './sql/postgres.ts'
export { leaveOut, type ServiceRunner, useService } from './use-service.ts'
