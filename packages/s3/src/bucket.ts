import type * as Sdk from '@aws-sdk/client-s3'
import { HoldfastError } from '@holdfast/core'
import { bareError } from './bare-error.ts'

/** What is used of a client: an `S3Client` of @aws-sdk/client-s3 version 3 has it. */
export interface S3ClientLike {
  /** Sends a command. */
  send(command: never): Promise<unknown>
  /** The SDK keeps here by how many ms the server's clock is ahead; its older versions only from 5 minutes on. */
  readonly config?: { readonly systemClockOffset?: number }
}

/** The commands that are sent, of the package as it is installed. */
export type Commands = Pick<
  typeof Sdk,
  'DeleteObjectCommand' | 'GetObjectCommand' | 'ListObjectsV2Command' | 'PutObjectCommand'
>

/** The text of an object, and the tag that names this state of it. */
export interface Stored {
  readonly text: string
  readonly etag: string
}

/** A key as it is listed. */
export interface ListedKey {
  readonly key: string
  /** Epoch ms by the clock of this process, as far as the client knows how the server's differs from it. */
  readonly at: number
}

/** Where a listing begins: behind a key, or where a page before it ended. */
export type From = { readonly after: string } | { readonly token: string } | undefined

/** A part of a listing: no keys only where there are no more. `next`: where it goes on. */
export interface Page {
  readonly keys: readonly ListedKey[]
  readonly next?: { readonly token: string }
}

/** When a write may take effect: over nothing, or over the state of that tag, spelled as the server wants it. */
export type Condition = { readonly ifNoneMatch: '*' } | { readonly ifMatch: string }

/** The HTTP status of an answer that the SDK threw as an error. */
export const statusOf = (error: unknown): number | undefined =>
  Object(Object(error).$metadata).httpStatusCode

/**
 * Whether the client had sent the request before: then an error is the verdict of the last time alone. The
 * answer of an earlier one may have been lost on its way, and the write be stored.
 */
export const wasResent = (error: unknown): boolean =>
  Number(Object(Object(error).$metadata).attempts) > 1

const nameOf = (error: unknown): string => String(Object(error).name ?? '')

const isMissing = (error: unknown) => statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket'

/** A condition that did not hold. AWS answers 404 to `If-Match` where there is no object, others 412. */
const isRefusal = (error: unknown) => statusOf(error) === 412 || isMissing(error)

/**
 * What servers answer where conditional writes meet: AWS 409, Ceph RGW 500 to whoever lost. Whether the
 * condition still holds tells a lost race from a failure; a write that did succeed is false as well, and
 * core recognises it.
 */
const MET = new Set([409, 500])
/** How often such a write is sent: with eight writers on Ceph RGW, three times in a row may all meet others. */
const TRIES = 8
/** How many pages without a key are read in a row: servers skip what was deleted, but not for ever. */
const MAX_EMPTY_PAGES = 100

/** Enough of an object to see whether it is there. */
const FIRST_BYTE = { range: 'bytes=0-0' } as const

const bare = (etag: string) => etag.replaceAll('"', '')

/** The requests of the adapter, on one bucket. Errors of the SDK are let through, without what was sent. */
export class Bucket {
  readonly #client: S3ClientLike
  readonly #commands: Commands
  readonly #name: string

  constructor(client: S3ClientLike, commands: Commands, name: string) {
    this.#client = client
    this.#commands = commands
    this.#name = name
  }

  /** `'unchanged'`: its tag is still `ifNoneMatch`. `undefined`: there is no such object. */
  async get(
    key: string,
    options: { readonly ifNoneMatch?: string | undefined; readonly range?: string } = {},
  ): Promise<Stored | 'unchanged' | undefined> {
    const command = new this.#commands.GetObjectCommand({
      Bucket: this.#name,
      Key: key,
      ...(options.ifNoneMatch !== undefined && { IfNoneMatch: options.ifNoneMatch }),
      ...(options.range !== undefined && { Range: options.range }),
    })
    try {
      const { Body, ETag = '' } = await this.#send<Sdk.GetObjectCommandOutput>(command)
      return { text: (await bared(async () => Body?.transformToString())) ?? '', etag: ETag }
    } catch (error) {
      if (statusOf(error) === 304) return 'unchanged'
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** Answers the new tag, or false where the condition did not hold. */
  async put(key: string, text: string, condition?: Condition): Promise<string | false> {
    const command = new this.#commands.PutObjectCommand({
      Bucket: this.#name,
      Key: key,
      Body: text,
      ContentType: 'application/json',
      ...(condition && 'ifMatch' in condition && { IfMatch: condition.ifMatch }),
      ...(condition && 'ifNoneMatch' in condition && { IfNoneMatch: '*' }),
    })
    const once = async () => (await this.#send<Sdk.PutObjectCommandOutput>(command)).ETag ?? ''
    if (!condition) return once()
    try {
      return await once()
    } catch (error) {
      if (isRefusal(error)) return false
      if (!MET.has(statusOf(error) ?? 0)) throw error
      return this.#again(once, key, condition, error)
    }
  }

  /** Whatever fails from now on is no verdict on the first time: that one's error, `met`, is thrown. */
  async #again(
    once: () => Promise<string>,
    key: string,
    condition: Condition,
    met: unknown,
  ): Promise<string | false> {
    for (let tries = 2; tries <= TRIES; tries++) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** tries))
      const holds = await this.#holds(key, condition).catch(() => undefined)
      if (holds === undefined) continue
      if (!holds) return false
      try {
        return await once()
      } catch (error) {
        if (isRefusal(error)) return false
        if (!MET.has(statusOf(error) ?? 0)) break
      }
    }
    throw met
  }

  async #holds(key: string, condition: Condition): Promise<boolean> {
    const stored = await this.get(key, FIRST_BYTE)
    if (!stored || stored === 'unchanged') return !('ifMatch' in condition)
    return 'ifMatch' in condition && bare(stored.etag) === bare(condition.ifMatch)
  }

  /** Whether it was removed. Without a condition what is gone already counts as removed. */
  async remove(key: string, ifMatch?: string): Promise<boolean> {
    const command = new this.#commands.DeleteObjectCommand({
      Bucket: this.#name,
      Key: key,
      ...(ifMatch !== undefined && { IfMatch: ifMatch }),
    })
    try {
      await this.#send<Sdk.DeleteObjectCommandOutput>(command)
      return true
    } catch (error) {
      if (ifMatch === undefined && isMissing(error)) return true
      if (ifMatch === undefined || !isRefusal(error)) throw error
      // The first time may have removed it.
      return wasResent(error) && !(await this.get(key, FIRST_BYTE))
    }
  }

  /** Keys that begin with `prefix`, in order, about `limit` at most. */
  async list(prefix: string, from: From, limit: number): Promise<Page> {
    let token = from && 'token' in from ? from.token : undefined
    for (let pages = 0; pages < MAX_EMPTY_PAGES; pages++) {
      const answer = await this.#send<Sdk.ListObjectsV2CommandOutput>(
        new this.#commands.ListObjectsV2Command({
          Bucket: this.#name,
          Prefix: prefix,
          MaxKeys: limit,
          ...(token !== undefined && { ContinuationToken: token }),
          ...(token === undefined && from && 'after' in from && { StartAfter: from.after }),
        }),
      )
      // After the answer: it is by this one that the client may have learned of the difference.
      const ahead = this.#client.config?.systemClockOffset ?? 0
      const keys = (answer.Contents ?? []).map(({ Key = '', LastModified }) => ({
        key: Key,
        at: LastModified ? LastModified.getTime() - ahead : Date.now(),
      }))
      if (answer.IsTruncated !== true) return { keys }
      const next = answer.NextContinuationToken
      if (!next || next === token) throw endless('gives no new NextContinuationToken')
      if (keys.length > 0) return { keys, next: { token: next } }
      token = next
    }
    throw endless(`gives ${MAX_EMPTY_PAGES} pages without a key`)
  }

  #send<T>(command: unknown): Promise<T> {
    // Its own overloads would tie the adapter to one version of the SDK's types.
    return bared(async () => (await this.#client.send(command as never)) as T)
  }
}

/** Whatever the client does: its errors leave by here. */
async function bared<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw bareError(error)
  }
}

const endless = (what: string) =>
  new HoldfastError(
    'UNSUPPORTED',
    `This server says that a listing goes on, and ${what}: it cannot be listed. Use a server whose ListObjectsV2 comes to its end.`,
  )
