/** Random numbers that a seed repeats (mulberry32, 32 bits of state). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0]
  }
}

/** The seed to use: the one given, else `HOLDFAST_SEED`, else a new one. 32 bits. */
export function chooseSeed(given?: number): number {
  if (given !== undefined) return given >>> 0
  const wanted = typeof process === 'undefined' ? undefined : process.env['HOLDFAST_SEED']
  if (wanted !== undefined && /^\d+$/.test(wanted)) return Number(wanted) >>> 0
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 1
}
