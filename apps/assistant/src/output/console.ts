import { errorLine } from './error-line.ts'
import { printable } from './printable.ts'
import { type Paint, painter, type Style } from './styles.ts'

export interface Streams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: NodeJS.ProcessEnv
}

/** The only way to the terminal: everything said goes through `printable` here, and nowhere around it. */
export class Console {
  readonly #streams: Streams
  readonly #paintOut: Paint
  readonly #paintErr: Paint

  constructor(streams: Streams) {
    this.#streams = streams
    this.#paintOut = painter(streams.stdout, streams.env)
    this.#paintErr = painter(streams.stderr, streams.env)
  }

  /** An answer. */
  say(text: string, style?: Style): void {
    const line = printable(text)
    this.#streams.stdout.write(`${style ? this.#paintOut(style, line) : line}\n`)
  }

  /** What is not an answer, and so must not get into a pipe. */
  note(text: string): void {
    this.#streams.stderr.write(`${this.#paintErr('dim', printable(text))}\n`)
  }

  fail(error: unknown): void {
    this.#streams.stderr.write(`${this.#paintErr('red', errorLine(error, this.#streams.env))}\n`)
  }
}
