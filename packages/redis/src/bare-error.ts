/** What Node.js and ioredis say of a failure in words and numbers of their own. */
const KEPT = new Set<PropertyKey>([
  ...['name', 'message', 'stack', 'code', 'errno', 'syscall', 'address', 'port', 'hostname'],
])
/** A server that does not know a command, or forbids it, repeats what came with it. */
const ECHO = /,? with args beginning with:.*/g

/**
 * The same error without what was sent. ioredis keeps the command on it, and on the errors underneath
 * (`lastNodeError`, `previousErrors`, `errors`, `cause`): passwords of `HELLO` and `AUTH`, items of scripts.
 * None of it may reach a log. The error itself is changed, so that it stays of its class.
 */
export function bareError<T>(error: T, seen = new Set<unknown>()): T {
  if (!(error instanceof Error) || seen.has(error)) return error
  seen.add(error)
  for (const name of Reflect.ownKeys(error)) {
    const value: unknown = Reflect.get(error, name)
    const errors = [value].flat().filter((one) => one instanceof Error)
    for (const one of errors) bareError(one, seen)
    if (typeof value === 'string' && KEPT.has(name))
      Reflect.set(error, name, value.replace(ECHO, ''))
    else if (errors.length > 0) Reflect.set(error, name, Array.isArray(value) ? errors : value)
    else if (!KEPT.has(name)) Reflect.deleteProperty(error, name)
  }
  return error
}
