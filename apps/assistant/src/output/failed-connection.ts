import { causesOf } from './causes.ts'

/** Codes of Node, of its `fetch` and of TLS. An endpoint names its own errors by other words. */
const NETWORK_CODE =
  /^(E(CONN|AI_|HOST|NET|NOT|PIPE|PROTO|ADDR|TIMEDOUT)[A-Z]*|UND_ERR_[A-Z_]+|ERR_(TLS|SSL)_[A-Z_]+|CERT_[A-Z_]+|[A-Z_]+_(CERT|SIGNATURE)[A-Z_]*)$/

/**
 * Which connection failed and why, where `error` is a model call that reached no endpoint; else `undefined`. The
 * clients say so in the code of a cause several levels down. Names the host alone: an address may hold a password.
 */
export function failedConnection(error: unknown, env: NodeJS.ProcessEnv): string | undefined {
  const causes = causesOf(error)
  const request = causes.findIndex(
    (cause) => cause instanceof Error && cause.name === 'ModelRequestError',
  )
  // What has a status was answered.
  if (request < 0 || Object(causes[request]).status !== undefined) return undefined
  const code = causes
    .slice(request)
    .map((cause) => (cause instanceof Error && 'code' in cause ? cause.code : undefined))
    .findLast((word) => typeof word === 'string' && NETWORK_CODE.test(word))
  return code === undefined ? undefined : `the connection to ${hostOf(env)} failed (${code})`
}

function hostOf(env: NodeJS.ProcessEnv): string {
  const url = env['OPENAI_BASE_URL']?.trim() || 'https://api.openai.com'
  return URL.canParse(url) ? new URL(url).host : 'the endpoint'
}
