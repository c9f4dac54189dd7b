import type { Service } from '../service.ts'
import { type Launch, launch, onFreePorts } from './launch.ts'
import type { Running, Stage } from './stage.ts'

/** What a setup says of the server that it starts. */
export interface Plan {
  readonly url: string
  /** Its programs, in the order in which they start. */
  readonly servers: readonly Launch[]
  /** Asked when all of them run, the first time only. Answers the version. */
  version(): Promise<string>
  /** Resolves once the whole of them answers, behind each start. */
  settle?(): Promise<void>
}

/** Starts what `plan` describes on a stage of its own, each time on other ports until it gets them. */
export function startOwned(
  makeStage: () => Stage,
  plan: (stage: Stage) => Promise<Plan>,
): Promise<Service> {
  return onFreePorts(async () => {
    const stage = makeStage()
    try {
      const service = new OwnedService(stage, await plan(stage))
      await service.start()
      return service
    } catch (error) {
      await stage.close()
      throw error
    }
  })
}

/** A server that was started here. */
class OwnedService implements Service {
  readonly url: string
  readonly owned = true
  readonly #stage: Stage
  readonly #plan: Plan
  #version = ''
  #running: Running[] = []

  constructor(stage: Stage, plan: Plan) {
    this.url = plan.url
    this.#stage = stage
    this.#plan = plan
  }

  get version(): string {
    return this.#version
  }

  async start(): Promise<void> {
    await this.restart()
    this.#version = await this.#plan.version()
  }

  async kill(): Promise<void> {
    const running = this.#running
    this.#running = []
    await Promise.all(running.map((one) => one.end('SIGKILL')))
  }

  async restart(): Promise<void> {
    if (this.#running.length > 0) throw new Error('The server runs: `kill` it before `restart`.')
    for (const server of this.#plan.servers) this.#running.push(await launch(this.#stage, server))
    await this.#plan.settle?.()
  }

  stop(): Promise<void> {
    return this.#stage.close()
  }
}
