export type { S3ClientLike } from './bucket.ts'
export { openS3 } from './open-s3.ts'
export type {
  OpenS3Options,
  S3Credentials,
  S3DriverOptions,
  S3EndpointOptions,
  S3StorageOptions,
} from './options.ts'
export { s3Driver, s3Storage } from './s3-storage.ts'
