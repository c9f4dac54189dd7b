import { HoldfastError } from '@holdfast/core'
import { callSignal, cutStream, isRecord } from '@holdfast/core/model-client'
import { requestError, throwAnswered } from './failure.ts'

/** What is passed beside the body of each request. */
export interface OpenAIRequestOptions {
  /** Ends the request with the run. */
  readonly signal: AbortSignal
  /** Always 0: the runtime is who tries again. */
  readonly maxRetries: number
}

/** A `create` of the SDK, bound to its resource. */
export type Create = (body: object, options: OpenAIRequestOptions) => PromiseLike<unknown>

/** Refuses what is no client of the official SDK, before the first request. */
export function checkClient(door: string, found: unknown, path: string): void {
  if (typeof found === 'function') return
  throw new HoldfastError(
    'INVALID_ARGUMENT',
    `${door} takes an OpenAI client of the openai package, and this has no ${path}: pass new OpenAI().`,
  )
}

/** One request, answered in one piece. */
export async function request(
  create: Create,
  body: object,
  outer: AbortSignal | undefined,
): Promise<unknown> {
  outer?.throwIfAborted()
  const { signal, release } = callSignal(outer)
  try {
    return await create(body, { maxRetries: 0, signal })
  } catch (error) {
    throw requestError(error, outer)
  } finally {
    release()
  }
}

/**
 * One request, answered as events. Its end is the end of the connection; leaving it early closes the
 * connection. The SDK ends an aborted stream without an error, so the signal is asked here.
 */
export async function* requestEvents(
  create: Create,
  body: object,
  outer: AbortSignal | undefined,
): AsyncGenerator<Record<string, unknown>, void, undefined> {
  outer?.throwIfAborted()
  const { signal, release } = callSignal(outer)
  try {
    const { events, json } = await opened(create(body, { maxRetries: 0, signal }))
    if (!isRecord(events) || !(Symbol.asyncIterator in events)) throw cutStream(events)
    let empty = true
    for await (const event of events as unknown as AsyncIterable<unknown>) {
      signal.throwIfAborted()
      empty = false
      if (isRecord(event)) yield event
    }
    signal.throwIfAborted()
    const answer = empty ? await json?.() : undefined
    if (isRecord(answer)) throwAnswered(answer)
    if (empty) throw cutStream(answer)
  } catch (error) {
    throw requestError(error, outer)
  } finally {
    release()
  }
}

interface Opened {
  readonly events: unknown
  /** Reads the body as JSON, where its head says that it is. */
  readonly json?: () => Promise<unknown>
}

/**
 * The SDK finds no event in an error that is answered with status 200 and as JSON, and drops it: such a
 * body is read a second time. Only if no event came, since some endpoints call a stream JSON, too.
 */
async function opened(promise: PromiseLike<unknown>): Promise<Opened> {
  const withResponse: unknown = Object(promise).withResponse
  if (typeof withResponse !== 'function') return { events: await promise }
  const { data, response } = await withResponse.call(promise)
  if (!response?.headers?.get('content-type')?.includes('json')) return { events: data }
  const copy = response.clone()
  return { events: data, json: () => copy.json() }
}
