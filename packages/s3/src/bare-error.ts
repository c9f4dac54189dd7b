/** What Node.js and the SDK say of a failure in words and numbers of their own. */
const SAID = [
  ...['name', 'message', 'stack', 'code', 'errno', 'syscall', 'address', 'port', 'hostname'],
  ...['Code', '$fault', '$service'],
]
/** What the SDK counted: the status of the answer, ids of the request, attempts. */
const COUNTED = ['$metadata', '$retryable']

/**
 * A copy of an error of the client without what was sent. The SDK keeps the answer on it (`$response`), and
 * every field of a server's body: `InvalidToken` repeats the session token, `SignatureDoesNotMatch` all that
 * was signed. None of it may reach a log. It is of the same class; the error itself, which may be the
 * user's, stays as it is.
 */
export function bareError(error: unknown, seen = new Map<unknown, Error>()): unknown {
  if (typeof error !== 'object' || error === null) return error
  const known = seen.get(error)
  if (known) return known
  // Of the class, but not by its constructor, which nobody knows.
  const bare: Error = Object.setPrototypeOf(new Error(), Object.getPrototypeOf(error))
  seen.set(error, bare)
  const keep = (name: string, value: unknown) => {
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, name)
    Object.defineProperty(bare, name, { value, enumerable, configurable: true, writable: true })
  }
  // That of this copy says nothing.
  Reflect.deleteProperty(bare, 'stack')
  for (const name of SAID) {
    const value: unknown = Reflect.get(error, name)
    if (isPlain(value)) keep(name, value)
  }
  for (const name of COUNTED) {
    const value: unknown = Reflect.get(error, name)
    if (typeof value !== 'object' || value === null) continue
    keep(name, Object.fromEntries(Object.entries(value).filter(([, said]) => isPlain(said))))
  }
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  if (cause instanceof Error) keep('cause', bareError(cause, seen))
  if (Array.isArray(errors)) {
    const beneath = errors.filter((one) => one instanceof Error)
    keep(
      'errors',
      beneath.map((one) => bareError(one, seen)),
    )
  }
  return bare
}

const isPlain = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
