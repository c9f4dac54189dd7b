import { LATE_REQUEST_MS } from '@holdfast/core/adapter'
import { type RedisClient, run } from './client.ts'
import { enter, page, strike } from './scripts.ts'

/**
 * For how long after a name was entered that which it names may be created. That is surely over after
 * `LATE_REQUEST_MS`: the other half is for the clocks of two masters, which differ.
 */
const OPEN_MS = LATE_REQUEST_MS / 2

/** One entry of a set of names. */
export interface Entry {
  readonly name: string
  /** The exact member, with the time at which it was entered. */
  readonly member: string
  /** What it names cannot be created any more on the strength of this entry. */
  readonly over: boolean
}

/**
 * A sorted set of names in the order of their UTF-8 bytes: members `name<tab>time`, all of score 0. Names hold no
 * control characters, so the tab ends a name and sorts before any longer one.
 *
 * A name is entered before that which it names is created, and its creation is refused after the deadline
 * that `enter` answers. Who finds that a name leads nowhere strikes its exact member, and only if it was
 * over before he looked: whoever creates later has entered it anew, as another member.
 */
export class Names {
  readonly #client: RedisClient
  readonly #key: string

  constructor(client: RedisClient, key: string) {
    this.#client = client
    this.#key = key
  }

  /** Answers until when, in ms since the epoch, that which is named may be created. */
  async enter(name: string): Promise<number> {
    return Number(await run(this.#client, enter, this.#key, [name])) + OPEN_MS
  }

  /** At most `count` entries strictly between `after` and `before`. */
  between(after: string, before: string | undefined, count: number): Promise<Entry[]> {
    return this.#page(`(${after}\n`, before === undefined ? '+' : `(${before}`, count)
  }

  /** At most `count` entries from `first` on that are smaller than `before`. */
  from(first: string, before: string | undefined, count: number): Promise<Entry[]> {
    return this.#page(`[${first}`, before === undefined ? '+' : `(${before}`, count)
  }

  /** The entry of one name. */
  async find(name: string): Promise<Entry | undefined> {
    return (await this.#page(`[${name}\t`, `(${name}\n`, 1))[0]
  }

  /** Removes exact members; answers how many others stay. */
  async strike(members: readonly string[]): Promise<number> {
    return Number(await run(this.#client, strike, this.#key, members))
  }

  async #page(from: string, to: string, count: number): Promise<Entry[]> {
    const reply = await run(this.#client, page, this.#key, [from, to, String(count)])
    const [now, ...members] = reply as string[]
    return members.map((member) => {
      const [name = '', time] = member.split('\t')
      return { name, member, over: Number(now) - Number(time) >= LATE_REQUEST_MS }
    })
  }
}
