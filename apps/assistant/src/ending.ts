/** The signals by which a system or a closed terminal ends a program, and the exit codes that shells use for them. */
const CODES = { SIGHUP: 129, SIGTERM: 143 } as const
type EndSignal = keyof typeof CODES

/** What ends in good order has ended by then; a storage that does not answer must not hold the program for ever. */
const PATIENCE_MS = 5_000

/**
 * Turns SIGTERM and SIGHUP into an end in good order: what runs is aborted, what is stored is stored, and the program
 * ends with the code of the signal. A second one changes nothing: who starts a program through another one sends it
 * twice.
 */
export class Ending {
  readonly #controller = new AbortController()
  #code: number | undefined

  constructor() {
    for (const name of Object.keys(CODES)) process.on(name, this.#end)
  }

  /** Aborts when the program is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The program's exit code; `undefined` as long as no signal came. */
  get code(): number | undefined {
    return this.#code
  }

  /**
   * The last thing done. Node 20 asserts at its exit that it can reset its terminal, and dumps core where that is
   * closed: there the signal itself ends the program, which to a shell is the same exit code.
   */
  finish(exitCode: number): void {
    process.exitCode = exitCode
    const hadTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
    if (this.#code !== CODES.SIGHUP || !hadTerminal) return
    process.off('SIGHUP', this.#end)
    process.kill(process.pid, 'SIGHUP')
  }

  readonly #end = (name: NodeJS.Signals) => {
    if (this.#code !== undefined) return
    const code = CODES[name as EndSignal]
    this.#code = code
    const giveUp = () => {
      this.finish(code)
      process.exit()
    }
    setTimeout(giveUp, PATIENCE_MS).unref()
    this.#controller.abort()
  }
}
