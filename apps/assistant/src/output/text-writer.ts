/**
 * Shows a text that comes in pieces. A piece may end in the middle of a character or between the two halves
 * of a line end, so its last unit can wait for the next piece.
 */
export class TextWriter {
  readonly #write: (text: string) => void
  #held = ''
  #last = ''

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** True once something was shown. */
  get hasText(): boolean {
    return this.#last !== ''
  }

  add(piece: string): void {
    const text = this.#held + piece
    const isWhole = !/[\ud800-\udbff\r]$/.test(text)
    this.#held = isWhole ? '' : text.slice(-1)
    this.#show(isWhole ? text : text.slice(0, -1))
  }

  /** Shows what waits, and ends the line that was begun. */
  end(): void {
    this.#show(this.#held)
    this.#held = ''
    if (this.hasText && this.#last !== '\n') this.#write('\n')
    this.#last = ''
  }

  #show(text: string): void {
    if (text === '') return
    this.#write(text)
    this.#last = text.slice(-1)
  }
}
