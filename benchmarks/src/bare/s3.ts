import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { type AppendBytes, revisions } from '../bytes.ts'
import type { BareClient } from '../engine.ts'
import { BareSession } from './segmented.ts'
import { States } from './states.ts'

export const S3_APPEND =
  'one `PutObject` with `If-Match`, of the head and the newest entries; as Holdfast, every 64 KiB of entries another one with those that move out'

/** What a listing reads of an object, as Holdfast does. */
const FIRST_BYTES = 'bytes=0-36863'

interface State {
  etag: string
  readonly session: BareSession
}

/** By @aws-sdk/client-s3, under a prefix of its own. */
export async function bareS3(
  client: S3Client,
  bucket: string,
  prefix: string,
): Promise<BareClient> {
  const next = revisions()
  const states = new States<State>()
  const at = (key: string) => ({ Bucket: bucket, Key: `${prefix}/${key}` })
  const keyOf = (id: string) => `heads/${Buffer.from(id).toString('hex')}`

  async function put(key: string, text: string, condition: object = {}): Promise<string> {
    const object = { ...at(key), Body: text, ContentType: 'application/json' }
    const { ETag = '' } = await client.send(new PutObjectCommand({ ...object, ...condition }))
    return ETag
  }
  const spelled = await spelling(put)
  const textOf = ({ head, body }: AppendBytes, { inline }: BareSession) => {
    const entries = new Array<string>(inline).fill(body)
    const revision = next()
    return `${JSON.stringify({ v: 1, revision, head })}\n${JSON.stringify({ entries })}\n`
  }
  const moveOut = (count: number, body: string) =>
    put(`segments/${next()}`, JSON.stringify(new Array<string>(count).fill(body)))

  return {
    async create(id, bytes, entries) {
      const session = new BareSession(bytes, entries)
      const out = entries - session.inline
      if (out > 0) await moveOut(out, bytes.body)
      const etag = await put(keyOf(id), textOf(bytes, session), { IfNoneMatch: '*' })
      states.set(id, { etag, session })
    },
    async append(id, bytes, count) {
      const state = states.get(id)
      for (let append = 0; append < count; append++) {
        const out = state.session.add()
        if (out > 0) await moveOut(out, bytes.body)
        const condition = { IfMatch: spelled(state.etag) }
        // Where the condition does not hold the client throws.
        state.etag = await put(keyOf(id), textOf(bytes, state.session), condition)
      }
    },
    async readRevision(id, count) {
      const command = { ...at(keyOf(id)), IfNoneMatch: spelled(states.get(id).etag) }
      for (let read = 0; read < count; read++) {
        try {
          await client.send(new GetObjectCommand(command))
          throw new Error('The object has changed.')
        } catch (error) {
          if (!isUnchanged(error)) throw error
        }
      }
    },
    async list(after) {
      for (const id of after) {
        const { Contents = [] } = await client.send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix: `${prefix}/heads/`,
            StartAfter: at(keyOf(id)).Key,
            MaxKeys: 21,
          }),
        )
        await Promise.all(
          Contents.map(async ({ Key }) => {
            const command = new GetObjectCommand({ Bucket: bucket, Key, Range: FIRST_BYTES })
            const { Body } = await client.send(command)
            await Body?.transformToString()
          }),
        )
      }
    },
  }
}

/** The client throws for 304 as well. */
const isUnchanged = (error: unknown): boolean =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 304

/** How the server wants an ETag in a condition: as it came, or without its quotes. */
async function spelling(
  put: (key: string, text: string, condition?: object) => Promise<string>,
): Promise<(etag: string) => string> {
  const etag = await put('spelling', 'first')
  try {
    await put('spelling', 'second', { IfMatch: etag })
    return (quoted) => quoted
  } catch {
    const bare = (quoted: string) => quoted.replaceAll('"', '')
    await put('spelling', 'second', { IfMatch: bare(etag) })
    return bare
  }
}
