import { HarnessError } from './harness-error.ts'

const METHODS = ['read', 'replace', 'list'] as const
const OPTIONAL = ['append', 'delete', 'classify'] as const

/** Whether `value` has properties; class instances and functions count. */
const isObject = (value: unknown): value is Record<string, unknown> =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

const typeOf = (value: unknown): string => (value === null ? 'null' : typeof value)

function isOpened(
  answered: unknown,
  shape: string,
  door = 'connect()',
): asserts answered is Record<string, unknown> {
  if (!isObject(answered)) {
    throw new HarnessError(`${door} must answer ${shape}; it answered ${typeOf(answered)}.`)
  }
  if (typeof answered['close'] !== 'function') {
    throw new HarnessError(
      `${door} must answer ${shape}; close is ${typeOf(answered['close'])}, not a function.`,
    )
  }
}

/** `answered`, which must be what `connect` of a driver's harness answers. */
export function checkDriverConnection<T>(answered: T): T {
  const shape = '{ driver, close() }'
  isOpened(answered, shape)
  const { driver } = answered
  if (!isObject(driver)) {
    throw new HarnessError(`connect() must answer ${shape}; driver is ${typeOf(driver)}.`)
  }
  for (const method of METHODS) {
    if (typeof driver[method] === 'function') continue
    throw new HarnessError(
      `connect() answered a driver whose ${method} is ${typeOf(driver[method])}, not a function.`,
    )
  }
  for (const method of OPTIONAL) {
    if (driver[method] === undefined || typeof driver[method] === 'function') continue
    throw new HarnessError(
      `connect() answered a driver whose ${method} is ${typeOf(driver[method])}: a function, or absent.`,
    )
  }
  return answered
}

/** `answered`, which must be what `connect` of a memory's harness answers. */
export function checkMemoryConnection<T>(answered: T): T {
  const shape = '{ open(id, options), close() }'
  isOpened(answered, shape)
  if (typeof answered['open'] !== 'function') {
    throw new HarnessError(
      `connect() must answer ${shape}; open is ${typeOf(answered['open'])}, not a function.`,
    )
  }
  return answered
}

/** `answered`, which must be what `open` of a session store's harness answers. */
export function checkStoreConnection<T>(answered: T): T {
  const shape = '{ store, close() }'
  isOpened(answered, shape, 'open()')
  const { store } = answered
  if (!isObject(store)) {
    throw new HarnessError(`open() must answer ${shape}; store is ${typeOf(store)}.`)
  }
  for (const method of ['save', 'load', 'delete', 'listSessionIds', 'listSessions']) {
    if (typeof store[method] === 'function') continue
    throw new HarnessError(
      `open() answered a store whose ${method} is ${typeOf(store[method])}, not a function.`,
    )
  }
  return answered
}

/** Closes all of `opened`, each even where another fails; then rejects with the first failure. */
export async function closeAll(opened: readonly { close(): Promise<void> }[]): Promise<void> {
  const closed = await Promise.allSettled(opened.map(async (it) => it.close()))
  for (const it of closed) if (it.status === 'rejected') throw it.reason
}
