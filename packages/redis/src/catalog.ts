import type { Listed } from '@holdfast/core'
import { type RedisClient, run } from './client.ts'
import { isWithin, type Keys, rangeOf } from './keys.ts'
import { type Entry, Names } from './names.ts'
import { readHead } from './scripts.ts'

/** Ranges that are fetched at once. */
const RANGES = 100
/** Ids that are fetched at once, at most. */
const IDS = 1_000

interface Query {
  readonly after: string
  readonly before: string | undefined
  readonly limit: number
}

/**
 * Which sessions there are: an index of ids for each range, and an index of the ranges. An index says which
 * sessions there may be; what is shown was read from the session itself.
 */
export class Catalog {
  readonly #client: RedisClient
  readonly #keys: Keys
  readonly #ranges: Names

  constructor(client: RedisClient, keys: Keys) {
    this.#client = client
    this.#keys = keys
    this.#ranges = new Names(client, keys.ranges)
  }

  /** Enters `id`; answers until when, in ms since the epoch, it may be created. */
  async enter(id: string): Promise<number> {
    const range = rangeOf(id)
    return Math.min(...(await Promise.all([this.#ranges.enter(range), this.#ids(range).enter(id)])))
  }

  /** Runs `remove`; if it answers true, `id` leaves the indexes as far as nobody can be creating it. */
  async leave(id: string, remove: () => Promise<boolean>): Promise<boolean> {
    const range = rangeOf(id)
    const ids = this.#ids(range)
    const [entry, rangeEntry] = await Promise.all([ids.find(id), this.#ranges.find(range)])
    if (!(await remove())) return false
    if (!entry?.over) return true
    const left = await ids.strike([entry.member])
    if (left === 0 && rangeEntry?.over) await this.#ranges.strike([rangeEntry.member])
    return true
  }

  /** The sessions of a query in order. */
  async list(query: Query): Promise<Listed[]> {
    const { after, before, limit } = query
    const rows: Listed[] = []
    const range = rangeOf(after)
    if (isWithin(range, before)) {
      await this.#listRange(range, query, rows)
      return rows
    }
    let found = await this.#ranges.from(range, before, RANGES)
    while (found.length > 0) {
      for (const entry of found.filter(isFirst)) {
        await this.#listRange(entry.name, query, rows)
        if (rows.length === limit) return rows
        if (entry.over) await this.#leaveRange(entry)
      }
      if (found.length < RANGES) break
      found = await this.#ranges.between(found.at(-1)?.name ?? '', before, RANGES)
    }
    return rows
  }

  #ids(range: string): Names {
    return new Names(this.#client, this.#keys.ids(range))
  }

  /** Adds to `rows` what the query finds in one range, up to its limit. */
  async #listRange(range: string, { after, before, limit }: Query, rows: Listed[]): Promise<void> {
    const ids = this.#ids(range)
    let count = limit - rows.length
    for (let start = after; rows.length < limit; ) {
      const page = await ids.between(start, before, Math.min(count, IDS))
      const entries = page.filter(isFirst)
      const found = await Promise.all(entries.map(({ name }) => this.#row(name)))
      for (const row of found) if (row && rows.length < limit) rows.push(row)
      const dead = entries.filter(({ over }, index) => over && !found[index])
      if (dead.length > 0) await tidy(ids.strike(dead.map(({ member }) => member)))
      if (page.length < Math.min(count, IDS)) return
      start = entries.at(-1)?.name ?? start
      // Where many are dead, larger steps reach the living sooner.
      count *= 2
    }
  }

  async #leaveRange(entry: Entry): Promise<void> {
    const empty = (await this.#ids(entry.name).from('', undefined, 1)).length === 0
    if (empty) await tidy(this.#ranges.strike([entry.member]))
  }

  async #row(id: string): Promise<Listed | undefined> {
    try {
      const cell = await run(this.#client, readHead, this.#keys.session(id))
      if (!cell) return undefined
      const [revision = '', head = ''] = cell as string[]
      return { id, revision, head }
    } catch (error) {
      // What cannot be read must not hide the sessions beside it.
      if (error instanceof Error && /\bWRONGTYPE\b/.test(error.message)) {
        return { id, revision: '', head: '' }
      }
      throw error
    }
  }
}

/** A name that somebody entered by hand may be there twice. */
const isFirst = ({ name }: Entry, index: number, all: readonly Entry[]): boolean =>
  name !== all[index - 1]?.name

/** A list is right without it, also where nothing may be written just now; the next one tidies up. */
const tidy = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {})
