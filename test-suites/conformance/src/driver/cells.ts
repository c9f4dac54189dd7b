import assert from 'node:assert/strict'
import type { Append, Listed, SessionDriver, StoredSession, Version } from '@holdfast/core'

/** A revision that was never used. */
export const revision = (): string => crypto.randomUUID()

/** A scope that nobody else uses: ids below it can be listed alone, on a shared storage too. */
export const freshScope = (): string => `m1:${crypto.randomUUID()}:`

/** An id that nobody else uses, shaped as core shapes them. */
export const cellId = (name = 'cell'): string => `${freshScope()}${name}`

/** The bounds between which exactly the ids of a scope lie. */
export const within = (scope: string): { after: string; before: string } => ({
  after: scope,
  before: `${scope.slice(0, -1)};`,
})

/** `['{"n":0}', …]` */
export const numbered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => JSON.stringify({ n: from + index }))

export const state = (entries: readonly string[], head = '{"kind":"test"}'): StoredSession => ({
  revision: revision(),
  head,
  entries,
})

export const change = (entries: readonly string[], rest: Partial<Append> = {}): Append => ({
  revision: revision(),
  head: '{"kind":"test"}',
  drop: 0,
  entries,
  ...rest,
})

/** Two revisions each that a comparison by collation, by prefix or as numbers takes for one. */
export const LOOK_ALIKES: readonly (readonly [older: string, stored: string])[] = [
  ['w.1', 'w.10'],
  ['w.10', 'w.1'],
  ['W.A', 'w.a'],
  ['w.1 ', 'w.1'],
  ['w.1', 'w.1 '],
  ['07', '7'],
  ['1', '1.0'],
  ['10', '1e1'],
  ['w.e', 'w.é'],
]

/** Asserts that a write was accepted; answers its version. */
export function accepted(answer: Version | false, next: { readonly revision: string }): Version {
  assert.notEqual(answer, false, 'the write was refused, though the stored state was the expected')
  const version = answer as Version
  assert.equal(version.revision, next.revision, 'the answered version names another revision')
  return version
}

/** Creates a cell that is not there yet. */
export async function create(
  driver: SessionDriver,
  id: string,
  next: StoredSession,
): Promise<Version> {
  return accepted(await driver.replace(id, next, null), next)
}

/** The driver's `append`; cases that call it are run only where there is one. */
export async function append(
  driver: SessionDriver,
  id: string,
  next: Append,
  expected: Version,
): Promise<Version | false> {
  assert.ok(driver.append, 'the driver has no append')
  return driver.append(id, next, expected)
}

/** The driver's `delete`; cases that call it are run only where there is one. */
export async function remove(
  driver: SessionDriver,
  id: string,
  expected: Version,
): Promise<boolean> {
  assert.ok(driver.delete, 'the driver has no delete')
  return driver.delete(id, expected)
}

/** Reads a cell that must be there. */
export async function readCell(
  driver: SessionDriver,
  id: string,
  options?: { readonly unless?: string; readonly skip?: number },
): Promise<StoredSession> {
  const found = await driver.read(id, options)
  assert.notEqual(found, null, `nothing is stored for ${JSON.stringify(id)}`)
  assert.notEqual(found, 'unchanged', 'the read answered "unchanged", though the state is another')
  return found as StoredSession
}

const shorten = (text: string): string =>
  text.length > 120 ? `${text.slice(0, 60)}…${text.slice(-40)} (${text.length} units)` : text

/** Asserts that exactly `want` is stored; names the first entry that differs, never megabytes of text. */
export async function assertStored(
  driver: SessionDriver,
  id: string,
  want: Pick<StoredSession, 'revision' | 'head' | 'entries'>,
): Promise<StoredSession> {
  const found = await readCell(driver, id)
  assertSame(found, want)
  return found
}

export function assertSame(
  found: StoredSession,
  want: Pick<StoredSession, 'revision' | 'head' | 'entries'>,
): void {
  assert.equal(found.revision, want.revision, 'another revision is stored')
  assert.ok(
    found.head === want.head,
    `head: stored ${shorten(found.head)}, want ${shorten(want.head)}`,
  )
  assertEntries(found.entries, want.entries)
}

export function assertEntries(found: readonly string[], want: readonly string[]): void {
  assert.ok(Array.isArray(found), 'entries is not an array')
  const at = want.findIndex((entry, index) => found[index] !== entry)
  if (at >= 0) {
    assert.fail(
      `entry ${at} of ${want.length}: stored ${shorten(String(found[at]))}, want ${shorten(want[at] ?? '')}`,
    )
  }
  assert.equal(found.length, want.length, 'another number of entries is stored')
}

/** Asserts that nothing is stored. */
export async function assertAbsent(driver: SessionDriver, id: string): Promise<void> {
  assert.equal(await driver.read(id), null, `something is stored for ${JSON.stringify(id)}`)
}

/** All rows of a range, page by page. */
export async function listAll(
  driver: SessionDriver,
  range: { readonly after: string; readonly before: string },
  limit = 1_000,
): Promise<Listed[]> {
  const rows: Listed[] = []
  for (let after = range.after; ; ) {
    const page = await driver.list({ after, before: range.before, limit })
    rows.push(...page)
    const last = page.at(-1)
    if (!last || page.length < limit) return rows
    assert.notEqual(last.id, after, 'the page repeats the id that it was to begin behind')
    assert.ok(rows.length <= 100_000, 'the listing does not end')
    after = last.id
  }
}

/** Runs `task` for 0 … count − 1 at once. */
export const together = <T>(count: number, task: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index)))

/** Lets others run, for a time that keeps no step with theirs: a driver in memory never yields by itself. */
export const pause = (): Promise<void> => new Promise((done) => setTimeout(done, Math.random() * 3))
