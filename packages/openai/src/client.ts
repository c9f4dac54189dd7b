import { HoldfastError } from '@holdfast/core'
import { callSignal } from './call-signal.ts'
import { cutStream, requestError } from './failure.ts'
import { isRecord } from './values.ts'

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
    const events = await create(body, { maxRetries: 0, signal })
    if (!isRecord(events) || !(Symbol.asyncIterator in events)) throw cutStream()
    for await (const event of events as unknown as AsyncIterable<unknown>) {
      signal.throwIfAborted()
      if (isRecord(event)) yield event
    }
    signal.throwIfAborted()
  } catch (error) {
    throw requestError(error, outer)
  } finally {
    release()
  }
}
