/** What the bare client remembers of its sessions, as Holdfast's cache does. */
export class States<State> {
  readonly #states = new Map<string, State>()

  set(id: string, state: State): void {
    this.#states.set(id, state)
  }

  get(id: string): State {
    const state = this.#states.get(id)
    if (state === undefined) throw new Error(`${id} was not created`)
    return state
  }
}

/** Every append must do what it says: a lost one would cost less. */
export function done(happened: boolean): void {
  if (!happened) throw new Error('The append of the bare client changed nothing.')
}
