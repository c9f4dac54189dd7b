/** What takes random steps. */
export interface RandomWalk {
  /** One random operation, compared with the model. */
  step(): Promise<void>
  /** What was called, latest last. */
  readonly log?: readonly string[]
}

/** Takes `steps` steps; a failure says from which seed and at which step it comes, so that it replays. */
export async function takeSteps(walk: RandomWalk, seed: number, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    try {
      await walk.step()
    } catch (cause) {
      const last = walk.log?.length ? ` (${walk.log.slice(-6).join('; ')})` : ''
      const said = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`seed ${seed}, step ${step}${last}: ${said}`, { cause })
    }
  }
}
