import { setTimeout as sleep } from 'node:timers/promises'
import type { Program, Running, Stage } from './stage.ts'

const READY_MS = 45_000
const PAUSE_MS = 25
const ATTEMPTS = 5
const TAKEN =
  /address already in use|address in use|bind.*fail|could not bind|can't.*bind|EADDRINUSE/i

/** A server to be started. */
export interface Launch {
  /** What its log is called. */
  readonly name: string
  readonly program: Program
  /** What must be done first, each time that it starts. */
  before?(): Promise<void>
  /** Resolves once it answers; rejects as long as it does not. Asked again and again. */
  ready(): Promise<void>
  /** What it says in its log where starting it again a moment later helps. */
  readonly tryAgain?: RegExp
}

/** The server ended before it was ready. */
class Ended extends Error {
  override readonly name = 'Ended'
  readonly log: string

  constructor(launch: Launch, running: Running) {
    const log = running.log()
    super(`${launch.name} did not start: ${running.ending()}.\n${log}`)
    this.log = log
  }
}

/** Starts a server and resolves when it answers. */
export async function launch(stage: Stage, server: Launch): Promise<Running> {
  const deadline = Date.now() + READY_MS
  await server.before?.()
  for (;;) {
    const running = stage.run(server.name, server.program)
    try {
      await untilReady(server, running, deadline)
      return running
    } catch (error) {
      await running.end('SIGKILL')
      const again = error instanceof Ended && server.tryAgain?.test(error.log)
      if (!again || Date.now() > deadline) throw error
      await sleep(PAUSE_MS * 4)
    }
  }
}

async function untilReady(server: Launch, running: Running, deadline: number): Promise<void> {
  for (;;) {
    const answer = server.ready().then(
      () => undefined,
      (error: unknown) => error,
    )
    const problem = await Promise.race([answer, running.ended])
    if (running.ending() !== undefined) throw new Ended(server, running)
    if (problem === undefined) return
    if (Date.now() > deadline) {
      const said = problem instanceof Error ? problem.message : String(problem)
      throw new Error(
        `${server.name} did not answer within ${READY_MS} ms: ${said}\n${running.log()}`,
      )
    }
    await sleep(PAUSE_MS)
  }
}

/** Tries `start` again where a port that was free was taken before the server had it. */
export async function onFreePorts<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start()
    } catch (error) {
      const taken = error instanceof Ended && TAKEN.test(error.log)
      if (!taken || attempt === ATTEMPTS) throw error
    }
  }
}
