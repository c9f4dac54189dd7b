import type { S3Credentials } from '@holdfast/services'

/** Where a storage is: all that a process must be told to open it, as JSON. */
export interface Place {
  /** As the adapter's `open…` takes it; of `files`, the folder. */
  readonly url: string
  readonly credentials?: S3Credentials
  /** Of a cluster behind proxies: which proxy stands for which node. */
  readonly natMap?: Readonly<Record<string, { readonly host: string; readonly port: number }>>
}
