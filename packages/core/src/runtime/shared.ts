/**
 * State that every copy of this package in one program shares: a program that loads it as ESM and as
 * CommonJS has two.
 */
export function shared<T extends object>(name: string, make: () => T): T {
  const key = Symbol.for(`@holdfast/core ${name}`)
  const store = globalThis as unknown as Record<symbol, T | undefined>
  store[key] ??= make()
  return store[key]
}
