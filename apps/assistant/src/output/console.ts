import { errorLine } from './error-line.ts'
import type { Mask } from './mask.ts'
import { printable } from './printable.ts'
import { type Paint, painter, type Style } from './styles.ts'
import { TextWriter } from './text-writer.ts'

export interface Streams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: NodeJS.ProcessEnv
}

/**
 * The only way to the terminal: everything said goes through `printable` and the mask of secrets here, and
 * nowhere around them. A quiet one says nothing, for `--json`, whose one object is all there is.
 */
export class Console {
  readonly #streams: Streams
  readonly #mask: Mask
  readonly #quiet: boolean
  readonly #paintOut: Paint
  readonly #paintErr: Paint

  constructor(streams: Streams, mask: Mask, { quiet = false }: { quiet?: boolean } = {}) {
    this.#streams = streams
    this.#mask = mask
    this.#quiet = quiet
    this.#paintOut = painter(streams.stdout, streams.env)
    this.#paintErr = painter(streams.stderr, streams.env)
  }

  /** An answer. */
  say(text: string, style?: Style): void {
    const line = this.#clean(text)
    this.#out(`${style ? this.#paintOut(style, line) : line}\n`)
  }

  /** An answer that comes piece by piece. */
  writer(): TextWriter {
    // A secret may be parted by the pieces: a real model was never shown one, so it has none to tell.
    return new TextWriter((text) => this.#out(text === '\n' ? text : this.#clean(text)))
  }

  /** What is not an answer, and so must not get into a pipe. */
  note(text: string): void {
    this.#err(`${this.#paintErr('dim', this.#clean(text))}\n`)
  }

  fail(error: unknown): void {
    this.#err(`${this.#paintErr('red', this.#mask(errorLine(error, this.#streams.env)))}\n`)
  }

  /** One JSON value on a line of its own: also a quiet console says this. */
  json(value: unknown): void {
    this.#streams.stdout.write(`${this.#mask(printable(JSON.stringify(value)))}\n`)
  }

  #clean(text: string): string {
    return printable(this.#mask(text))
  }

  #out(text: string): void {
    if (!this.#quiet) this.#streams.stdout.write(text)
  }

  #err(text: string): void {
    if (!this.#quiet) this.#streams.stderr.write(text)
  }
}
