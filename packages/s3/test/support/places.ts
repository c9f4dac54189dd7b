import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'

/** The raw client as an independent probe of what is stored. */
export class Probe {
  readonly #client: S3Client
  readonly #bucket: string

  constructor(client: S3Client, bucket: string) {
    this.#client = client
    this.#bucket = bucket
  }

  /** Every key that begins with `prefix`, by pages. */
  async keys(prefix: string): Promise<string[]> {
    const keys: string[] = []
    for (let token: string | undefined, first = true; first || token; first = false) {
      const page = await this.#client.send(
        new ListObjectsV2Command({
          Bucket: this.#bucket,
          Prefix: prefix,
          ...(token && { ContinuationToken: token }),
        }),
      )
      keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key))
      token = page.NextContinuationToken
    }
    return keys
  }

  async text(key: string): Promise<string> {
    const { Body }: GetObjectCommandOutput = await this.#client.send(
      new GetObjectCommand({ Bucket: this.#bucket, Key: key }),
    )
    return (await Body?.transformToString()) ?? ''
  }

  async put(key: string, text: string): Promise<void> {
    await this.#client.send(new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: text }))
  }

  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key }))
  }
}

/** Counts the requests of a client, by the name of the command, and the answers that nothing changed (304). */
export function countRequests(client: S3Client): Map<string, number> {
  const counts = new Map<string, number>()
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
      count(String(context.commandName).replace('Command', ''))
      try {
        return await next(args)
      } catch (error) {
        if (Object(Object(error).$metadata).httpStatusCode === 304) count('304')
        throw error
      }
    },
    // Behind the retries: each attempt counts.
    { step: 'finalizeRequest', priority: 'low', name: 'count' },
  )
  return counts
}

/** A prefix that no other test uses. */
export const freshPrefix = () => `test-${crypto.randomUUID()}`
