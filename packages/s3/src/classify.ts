import type { ErrorKind } from '@holdfast/core'
import { statusOf, wasResent } from './bucket.ts'

/** How Node and the SDK name a way to the server that broke. */
const NETWORK = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ERR_SOCKET_CLOSED',
  'ETIMEDOUT',
  'NetworkingError',
  'TimeoutError',
])
/** 409: conditional writes met; 408, 429, 5xx: it did not come to an answer, or not now. */
const PASSING = new Set([408, 409, 429])

/** What kind of error the SDK threw. A refusal of what it had sent before says nothing of the times before. */
export function classify(error: unknown): ErrorKind | undefined {
  const kind = kindOf(error)
  const final = kind === 'refused' || kind === 'too-large'
  return final && wasResent(error) ? undefined : kind
}

function kindOf(error: unknown): ErrorKind | undefined {
  const { name, code } = Object(error)
  if (name === 'UnreadableObject') return 'corrupt'
  const status = statusOf(error)
  if (name === 'EntityTooLarge' || status === 413) return 'too-large'
  if (NETWORK.has(code) || NETWORK.has(name)) return 'transient'
  if (name === 'CredentialsProviderError') return 'refused'
  if (status === undefined) return undefined
  // Full is not busy: another try finds it as full.
  if (status === 507 || status === 501) return 'refused'
  if (PASSING.has(status) || status >= 500) return 'transient'
  return status >= 400 ? 'refused' : undefined
}
