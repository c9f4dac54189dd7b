import type { SessionDriver } from '@holdfast/core'

/** What stands between core and a driver. Both get the request, unsent. */
export interface Interceptor {
  read?<T>(send: () => Promise<T>): Promise<T>
  write?<T>(send: () => Promise<T | false>): Promise<T | false>
}

/** The error of a wrapper: a connection that broke, as core may see it. */
export class InjectedFault extends Error {
  override readonly name = 'InjectedFault'
}

const pass = <T>(send: () => Promise<T>): Promise<T> => send()

/** `driver` with every call going through `between`. Faults of wrappers are transient; it offers what `driver` offers. */
export function intercept(driver: SessionDriver, between: Interceptor): SessionDriver {
  const read = <T>(send: () => Promise<T>) => (between.read ?? pass)(send)
  const write = <T>(send: () => Promise<T | false>) => (between.write ?? pass)(send)
  const { append, delete: remove } = driver
  return {
    read: (id, options) => read(() => driver.read(id, options)),
    list: (query) => read(() => driver.list(query)),
    replace: (id, next, expected) => write(() => driver.replace(id, next, expected)),
    ...(append && {
      append: (id, change, expected) => write(() => append.call(driver, id, change, expected)),
    }),
    ...(remove && {
      delete: async (id, expected) =>
        (await write<true>(async () => (await remove.call(driver, id, expected)) || false)) !==
        false,
    }),
    classify: (error) => (error instanceof InjectedFault ? 'transient' : driver.classify?.(error)),
  }
}

/** Says before each request whether the fault happens. */
export type Decide = () => boolean

/** The fault happens to the next `count` requests, then no more. */
export function next(count = 1): Decide {
  let left = count
  return () => left-- > 0
}
