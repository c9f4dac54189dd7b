import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { User } from './user.ts'

const GUARD = fileURLToPath(new URL('guard.mjs', import.meta.url))
const LOG_TAIL = 2_000

/** A program to run on a stage. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  /** The signal that ends it at the end of the stage. Default `SIGKILL`: its folder goes anyway. */
  readonly stop?: NodeJS.Signals
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** A program that was started. */
export interface Running {
  /** Undefined as long as it runs; afterwards how it ended, in words. */
  ending(): string | undefined
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  /** Sends it a signal and resolves when it has ended. */
  end(signal: NodeJS.Signals): Promise<void>
  /** The last of what it wrote. */
  log(): string
}

type GuardEvent =
  | { readonly event: 'running'; readonly key: string; readonly pid: number }
  | {
      readonly event: 'ended'
      readonly key: string
      readonly code?: number | null
      readonly signal?: string | null
      readonly error?: string
    }

/**
 * A temporary folder and the programs that run in it. Both belong to a guard, a process of its own, which
 * removes them when this process closes the stage or ends in any way, `SIGKILL` included.
 */
export class Stage {
  /** The folder; it belongs to the user that the programs run as. */
  readonly folder: string
  readonly #guard: ChildProcessByStdio<Writable, Readable, null>
  readonly #gone: Promise<void>
  readonly #user: User | undefined
  readonly #endings = new Map<string, (ending: string) => void>()
  #count = 0

  /** `user`: whom folder and programs belong to. Default: whom this process does. */
  constructor(name: string, user?: User) {
    this.folder = mkdtempSync(join(tmpdir(), `holdfast-${name}-`))
    this.#user = user
    if (user) chownSync(this.folder, user.uid, user.gid)
    const { NODE_OPTIONS: _, ...env } = process.env
    // A group of its own, so that what ends the group of this process leaves time to clean up.
    this.#guard = spawn(process.execPath, [GUARD, this.folder], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    this.#gone = new Promise((resolve) => this.#guard.once('exit', () => resolve()))
    this.#guard.once('error', () => this.#endAll('its guard could not be started'))
    this.#guard.once('exit', () => this.#endAll('its guard ended'))
    this.#guard.stdin.on('error', () => {})
    this.#guard.unref()
    for (const stream of [this.#guard.stdin, this.#guard.stdout]) unref(stream)
    createInterface({ input: this.#guard.stdout }).on('line', (line) => this.#hear(line))
  }

  /** Starts a program in the folder. `name` names its log. */
  run(name: string, program: Program): Running {
    const key = `${name}-${this.#count++}`
    const log = join(this.folder, `${key}.log`)
    let ending: string | undefined
    const ended = new Promise<void>((resolve) => {
      this.#endings.set(key, (words) => {
        ending = words
        resolve()
      })
    })
    this.#tell({
      do: 'run',
      key,
      command: program.command,
      args: program.args,
      cwd: this.folder,
      log,
      user: this.#user,
      env: program.env,
      stop: program.stop ?? 'SIGKILL',
    })
    return {
      ended,
      ending: () => ending,
      log: () => tail(log),
      end: (signal) => {
        this.#tell({ do: 'signal', key, signal })
        return keepingAlive(ended)
      },
    }
  }

  /** Runs a program to its end; rejects where it fails. */
  async finish(name: string, program: Program): Promise<void> {
    const running = this.run(name, program)
    await keepingAlive(running.ended)
    if (running.ending() !== 'exit code 0') {
      throw new Error(`${name} failed: ${running.ending()}.\n${running.log()}`)
    }
  }

  /** Ends every program and removes the folder. */
  async close(): Promise<void> {
    this.#guard.stdin.end()
    // Unreferenced, it would not keep the process alive for as long as cleaning up takes.
    this.#guard.ref()
    await this.#gone
  }

  #tell(command: object): void {
    this.#guard.stdin.write(`${JSON.stringify(command)}\n`)
  }

  #hear(line: string): void {
    const event = JSON.parse(line) as GuardEvent
    if (event.event !== 'ended') return
    this.#endings.get(event.key)?.(
      event.error ?? (event.signal ? `ended by ${event.signal}` : `exit code ${event.code}`),
    )
    this.#endings.delete(event.key)
  }

  #endAll(words: string): void {
    for (const end of this.#endings.values()) end(words)
    this.#endings.clear()
  }
}

/** Holds the process until then: a guard alone does not, so that whoever forgets a server still ends. */
async function keepingAlive(done: Promise<void>): Promise<void> {
  const timer = setInterval(() => {}, 60_000)
  await done.finally(() => clearInterval(timer))
}

/** A pipe keeps a process alive unless told not to; its type hides that it is a socket. */
function unref(stream: Readable | Writable): void {
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref()
}

function tail(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(-LOG_TAIL).trim()
  } catch {
    return ''
  }
}
