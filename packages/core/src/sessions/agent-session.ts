import type { AgentMemory } from '../contracts/agent-memory.ts'
import type {
  AgentInput,
  AgentResult,
  AgentRuntime,
  RunOptions,
} from '../contracts/agent-runtime.ts'
import { HoldfastError, show } from '../errors.ts'

/** One conversation: an id, its own memory, and a loop to run input through. Made by an agent. */
export class AgentSession {
  readonly id: string
  /** What the next model call sees. */
  readonly memory: AgentMemory
  readonly #runtime: AgentRuntime
  #running = false

  /** @internal Sessions come from `agent.session` and `agent.newSession`. */
  constructor(id: string, memory: AgentMemory, runtime: AgentRuntime) {
    this.id = id
    this.memory = memory
    this.#runtime = runtime
  }

  /**
   * Adds `input` and runs the loop until the model makes no more calls. `null` goes on without input.
   *
   * Errors: `CONFLICT` while another run uses this session, before anything is done, and when the memory
   * was deleted meanwhile; `LIMIT_EXCEEDED` with `partial: { text, steps, usage }`; `ABORTED` with the
   * signal's reason as `cause`; `MODEL_FAILED`; `INVALID_ARGUMENT` and `NOT_SERIALIZABLE` before
   * anything is written; and those of the memory.
   */
  async run(input: AgentInput, options: RunOptions = {}): Promise<AgentResult> {
    if (this.#running) {
      throw new HoldfastError(
        'CONFLICT',
        `Another run is using session ${show(this.id)}; wait for its end.`,
      )
    }
    this.#running = true
    try {
      return await this.#runtime.run(this.memory, input, options, this.id)
    } finally {
      this.#running = false
    }
  }
}
