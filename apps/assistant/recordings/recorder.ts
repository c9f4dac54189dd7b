import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** What a shell in a folder of this name shows. */
const SHOWN_FOLDER = '/home/me/project'
const PATIENCE_MS = 30_000
/** A prompt, and nothing that only looks like one. */
const PROMPT = /(?:^|\n)(?:[^\n]*later\) )?> $/

/**
 * Drives the program as a person at a terminal would, through pipes (`--interactive`), and writes down what such a
 * terminal shows: what is typed stands behind the prompt that it answers.
 */
export class Recorder {
  readonly #app: string
  readonly #cwd = mkdtempSync(join(tmpdir(), 'holdfast-recording-'))
  readonly #env: NodeJS.ProcessEnv
  #text = ''
  #child: ChildProcess | undefined
  #ended: Promise<number | null> = Promise.resolve(null)
  #changed = () => {}

  /** `env`: settings that every command of the recording sees. */
  constructor(app: string, files: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = {}) {
    this.#app = app
    const own = Object.entries(process.env).filter(
      ([name]) => !/^(HOLDFAST_|OPENAI_|NO_COLOR$)/.test(name),
    )
    this.#env = { ...Object.fromEntries(own), ...env }
    for (const [name, value] of Object.entries(env)) this.#text += `$ export ${name}=${value}\n`
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.#cwd, name)), { recursive: true })
      writeFileSync(join(this.#cwd, name), content)
    }
  }

  /** Where the program runs: its storage and its files lie there. */
  get folder(): string {
    return this.#cwd
  }

  /** What is shown so far. */
  get text(): string {
    return this.#text
  }

  /** Starts a chat. */
  start(...args: readonly string[]): void {
    this.#shell(args)
    this.#spawn(['--interactive', ...args])
  }

  /** Waits for the prompt and types a line. */
  async type(line: string): Promise<void> {
    await this.shows(PROMPT)
    this.#text += `${line}\n`
    this.#child?.stdin?.write(`${line}\n`)
  }

  /** Waits until what is shown ends like this. */
  async shows(pattern: RegExp): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS
    while (!pattern.test(this.#text)) {
      if (Date.now() > deadline) throw new Error(`${pattern} is not shown:\n${this.#text}`)
      await new Promise<void>((resolve) => {
        this.#changed = resolve
        setTimeout(resolve, 100)
      })
    }
  }

  /** Waits until the tools have made this file with this text. */
  async makes(file: string, text: string): Promise<void> {
    const path = join(this.#cwd, file)
    const deadline = Date.now() + PATIENCE_MS
    while (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
      if (Date.now() > deadline) throw new Error(`${file} is not made:\n${this.#text}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#ended
    if (!this.#text.endsWith('\n')) this.#text += '\n'
    this.#text += 'Killed\n'
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#child?.kill('SIGINT')
  }

  /** As the system ends a program. */
  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name)
  }

  /** Waits for the program's own end; answers its exit code. */
  ends(): Promise<number | null> {
    return this.#ended
  }

  /** One command without a terminal, and its exit code. */
  async once(...args: readonly string[]): Promise<void> {
    this.#shell(args)
    this.#spawn(args)
    this.#child?.stdin?.end()
    const code = await this.#ended
    this.#text += `$ echo $?\n${code}\n`
  }

  /** A command of the shell, for looking at what was done. */
  async run(command: string): Promise<void> {
    this.#text += `$ ${command}\n`
    const child = spawn('sh', ['-c', `${command} 2>&1`], { cwd: this.#cwd, env: this.#env })
    this.#follow(child)
    await this.#ended
  }

  /** What was recorded, without what differs from one time to the next; removes the folder. */
  end(): string {
    rmSync(this.#cwd, { recursive: true, force: true })
    return this.#text
      .replaceAll(this.#cwd, SHOWN_FOLDER)
      .replace(/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b/g, '2026-11-30 12:00:00')
      .replace(/^( *\d+) \d\d:\d\d:\d\d /gm, '$1 12:00:00 ')
  }

  #shell(args: readonly string[]): void {
    const quoted = args.map((arg) => (/^[\w./-]+$/.test(arg) ? arg : `'${arg}'`))
    this.#text += `$ npm start --silent -- ${quoted.join(' ')}\n`
  }

  #spawn(args: readonly string[]): void {
    // One pipe for both outputs, as a terminal is one: so their order is what it was.
    const command = ['-c', 'exec "$0" "$@" 2>&1', process.execPath, this.#app, ...args]
    this.#follow(spawn('sh', command, { cwd: this.#cwd, env: this.#env }))
  }

  #follow(child: ChildProcess): void {
    this.#child = child
    child.stdin?.on('error', () => {})
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#text += text
      this.#changed()
    })
    this.#ended = new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve(code))
    })
  }
}
