import { cut } from '../output/cut.ts'

/** Keeps the beginning and the end of a text that comes in pieces, and forgets the middle of a long one. */
export class EndsOfText {
  readonly #half: number
  #first = ''
  #last = ''
  #length = 0

  /** `max`: UTF-16 units to keep. */
  constructor(max: number) {
    this.#half = max >> 1
  }

  add(piece: string): void {
    this.#length += piece.length
    const room = this.#half - this.#first.length
    this.#first += piece.slice(0, room)
    this.#last += piece.slice(Math.max(room, 0))
    // Cut now and then only: each cut copies what is kept.
    if (this.#last.length > 4 * this.#half) this.#last = this.#last.slice(-2 * this.#half)
  }

  /** What was kept, saying how much was not. No character is cut in two. */
  text(): string {
    if (this.#length <= 2 * this.#half) return wellFormed(this.#first + this.#last)
    const first = cut(this.#first, this.#half - 1)
    const last = this.#last.slice(-this.#half).replace(/^[\udc00-\udfff]/, '')
    const left = this.#length - first.length - last.length
    return wellFormed(`${first}\n[… ${left} characters left out …]\n${last}`)
  }
}

const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')
