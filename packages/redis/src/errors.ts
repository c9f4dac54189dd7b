import type { ErrorKind } from '@holdfast/core'
import type { RedisClient } from './client.ts'

/** The clocks of two masters are further apart than the order of two writes can bear. */
export class ClockError extends Error {
  override readonly name = 'ClockError'

  constructor(tries: number) {
    super(
      `A creation reached its master after its deadline ${tries} times: the clocks of the masters are minutes apart.`,
    )
  }
}

/** By the word in front of an error that the server answers. */
const REPLIES = new Map<string, ErrorKind>([
  // A replica, a server that starts, a cluster in change, a script that blocks the server: it passes.
  ...[
    'READONLY',
    'LOADING',
    'CLUSTERDOWN',
    'TRYAGAIN',
    'MASTERDOWN',
    'NOREPLICAS',
    'BUSY',
    'MOVED',
    'ASK',
    'NOMASTERLINK',
  ].map((word): [string, ErrorKind] => [word, 'transient']),
  // Full memory, a disk that fails: said at the first write of a script, behind its guard, which answers
  // first if the client sent the script before and that was applied. Rights and passwords are not here: they
  // are looked at before a script runs and, last, in the middle of one, so a write may be stored.
  ...['OOM', 'MISCONF'].map((word): [string, ErrorKind] => [word, 'refused']),
  ['WRONGTYPE', 'corrupt'],
])

/** From the error's word, whatever the rest of the message. */
export function classifyRedis(
  error: unknown,
  client: Pick<RedisClient, 'status'>,
): ErrorKind | undefined {
  if (error instanceof ClockError) return 'refused'
  if (!(error instanceof Error)) return undefined
  const { name, message } = error
  if (name === 'ReplyError') return classifyReply(message)
  // Ended by its owner, or because its retry strategy gave up.
  if (client.status === 'end') return 'closed'
  const { code } = error as { code?: unknown }
  return passes(name, message, typeof code === 'string' ? code : '') ? 'transient' : undefined
}

function classifyReply(message: string): ErrorKind | undefined {
  const [word = ''] = message.split(' ', 1)
  // Before Redis 7 the error of a command in a script came inside one of the script.
  const inner = /^ERR Error running script.*? -([A-Z]+) /.exec(message)?.[1]
  const known = REPLIES.get(inner ?? word)
  if (known) return known
  if (/^ERR max number of clients/.test(message)) return 'transient'
  if (/invalid (multi)?bulk length|maximum allowed size|too big/i.test(message)) return 'too-large'
  return undefined
}

/** Connections that break, are refused or time out; what the client says when it stops trying. */
function passes(name: string, message: string, code: string): boolean {
  return (
    /^(E(CONN\w+|PIPE|TIMEDOUT|HOST\w+|NET\w+|AI_AGAIN)|ENOTFOUND|UND_ERR\w*)$/.test(code) ||
    ['MaxRetriesPerRequestError', 'ClusterAllFailedError', 'AbortError'].includes(name) ||
    /^(Connection is closed|Command timed out|connect ETIMEDOUT|Stream isn't writeable|Cluster isn't ready|Too many Cluster redirections|None of startup nodes|All sentinels are unreachable|Socket closed|Failed to refresh slots cache)/.test(
      message,
    )
  )
}
