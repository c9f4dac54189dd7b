export type { RedisClient } from './client.ts'
export { openRedis, type RedisConnection } from './open-redis.ts'
export type { RedisDriverOptions, RedisStorageOptions } from './options.ts'
export { redisDriver, redisStorage } from './redis-storage.ts'
