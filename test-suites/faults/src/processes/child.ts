import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A bundled program in a process of its own. It starts when it is told to, so that starting up costs no test time. */
export class Child {
  readonly #process: ChildProcess
  readonly #ended: Promise<number | null>
  #lines = 0
  readonly lines: string[] = []
  #wake: () => void = () => {}

  /** `flags` are node's own, `node` the program of it. */
  constructor(path: string, flags: readonly string[] = [], node = process.execPath) {
    this.#process = spawn(node, [...flags, path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const { stdout, stdin } = this.#process
    if (!stdout || !stdin) throw new Error('a child needs pipes')
    // A killed child cannot read what was sent to it.
    stdin.on('error', () => {})
    createInterface({ input: stdout }).on('line', (line) => {
      this.lines.push(line)
      this.#lines++
      this.#wake()
    })
    this.#ended = new Promise((resolve) => {
      // `close`, not `exit`: by then everything it printed has been read.
      this.#process.on('close', (code) => {
        resolve(code)
        this.#wake()
      })
    })
  }

  /** Gives the program its orders; it waits for them. */
  start(orders: object): void {
    this.#process.stdin?.end(`${JSON.stringify(orders)}\n`)
  }

  /** Waits until it has printed `count` lines, or ended. */
  async printed(count: number): Promise<void> {
    let over = false
    this.#ended.then(() => {
      over = true
      this.#wake()
    })
    while (this.#lines < count && !over) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Its exit code; null if it was killed. */
  ended(): Promise<number | null> {
    return this.#ended
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }
}

/** For the program: the orders that it was started with. */
export async function orders<T>(): Promise<T> {
  for await (const line of createInterface({ input: process.stdin })) return JSON.parse(line) as T
  throw new Error('no orders came')
}
