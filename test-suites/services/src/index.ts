export { redis } from './redis/standalone.ts'
export { type Service, type ServiceSetup, Unavailable } from './service.ts'
export { postgres } from './sql/postgres.ts'
export { type ServiceRunner, useService } from './use-service.ts'
