import type { SavePoint } from '../contracts/agent-runtime.ts'
import { HoldfastError } from '../errors.ts'
import { isRecord } from '../json.ts'

/** When a session with a store saves by itself. */
export type AutosaveMode = 'off' | 'run' | 'step' | 'sync'

export const AUTOSAVE_MODES: readonly AutosaveMode[] = ['off', 'run', 'step', 'sync']

/**
 * The saves of one session: one at a time, and everybody who asks while one is under way shares the next,
 * so there are never more than two.
 */
export class Autosave {
  readonly #mode: AutosaveMode
  readonly #save: () => Promise<void>
  readonly #onError: (error: unknown) => void
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #failed: { readonly error: unknown } | undefined
  #conflict: { readonly error: unknown } | undefined

  /** `onError` is told of the failures that nobody waits for. */
  constructor(mode: AutosaveMode, save: () => Promise<void>, onError: (error: unknown) => void) {
    this.#mode = mode
    this.#save = save
    this.#onError = onError
  }

  /** A save of everything that was recorded before the call. */
  now(): Promise<void> {
    this.#next ??= (async () => {
      // First of all let `#next` be set: everybody who comes now shares it.
      await undefined
      await this.#running?.catch(() => {})
      this.#next = undefined
      this.#running = this.#save()
      try {
        await this.#running
      } catch (error) {
        if (isRecord(error) && error['code'] === 'CONFLICT') this.#conflict = { error }
        throw error
      } finally {
        this.#running = undefined
      }
    })()
    return this.#next
  }

  later(): void {
    this.now().catch((error) => {
      this.#failed ??= { error }
      this.#onError(error)
    })
  }

  /** Waits where the mode asks for it, and throws what makes going on pointless. */
  async at(point: SavePoint): Promise<void> {
    if (this.#mode === 'sync' || (this.#mode !== 'off' && point === 'claim')) {
      await this.now().catch(rethrow)
    } else if (this.#mode === 'step' && point === 'step') this.later()
    if (this.#conflict) rethrow(this.#conflict.error)
  }

  /** Throws once another writer has the session: whatever follows would be lost. */
  check(): void {
    if (this.#conflict) throw this.#conflict.error
  }

  /** After a run, or a change outside of one. */
  async changed(): Promise<void> {
    if (this.#mode === 'sync') await this.now().catch(rethrow)
    else this.ended()
  }

  /** As `changed`, without waiting in any mode. */
  ended(): void {
    if (this.#mode !== 'off') this.later()
  }

  /** Waits for the saves under way; throws the first error of those that nobody waited for, once. */
  async flush(): Promise<void> {
    while (this.#next ?? this.#running) await (this.#next ?? this.#running)?.catch(() => {})
    const failed = this.#failed
    this.#failed = undefined
    if (failed) throw failed.error
  }
}

/** Without the outcome, which is that of the save: whoever repeats the call because of it would change memory twice. */
function rethrow(error: unknown): never {
  const { code, message, outcome } = Object(error) as HoldfastError
  throw outcome ? new HoldfastError(code, message, { cause: error }) : error
}
