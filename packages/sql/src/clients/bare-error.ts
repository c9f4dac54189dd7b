/** Where clients and PostgreSQL keep values of a statement on an error: items, which must not reach a log. */
const revealing = ['params', 'parameters', 'args', 'detail', 'where', 'internalQuery', 'dataType']

/**
 * The error that a client threw, without drizzle's wrapping, whose message spells out all parameters, and
 * without values. Where a client has sealed them onto its error, another one takes its place.
 */
export function bareError(thrown: unknown): unknown {
  const error = unwrapped(thrown)
  if (!(error instanceof Error)) return error
  const sealed = revealing.filter((name) => name in error && !Reflect.deleteProperty(error, name))
  if (sealed.length === 0) return error
  const { name, message, stack } = error
  const { code, severity, routine } = error as {
    code?: string
    severity?: string
    routine?: string
  }
  const bare = new Error(message)
  return Object.assign(bare, { name, code, severity, routine, ...(stack && { stack }) })
}

function unwrapped(error: unknown): unknown {
  const wrapped = error instanceof Error && 'params' in error && error.cause instanceof Error
  return wrapped ? unwrapped(error.cause) : error
}
