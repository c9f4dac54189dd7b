import { isSignal } from '../abort.ts'
import type {
  AgentDelta,
  AgentResult,
  AgentStream,
  RunOptions,
} from '../contracts/agent-runtime.ts'
import type { AgentEvent } from '../contracts/events.ts'
import { HoldfastError } from '../errors.ts'
import { isRecord } from '../json.ts'
import type { EventPublisher } from './event-publisher.ts'

type Part = AgentEvent | AgentDelta

/** Begins `run` at once and shows its parts. Each iteration sees all of them, from the first. */
export function agentStream(
  publisher: EventPublisher,
  options: RunOptions,
  run: (options: RunOptions, onDelta: (delta: AgentDelta) => void) => Promise<AgentResult>,
): AgentStream {
  const parts: Part[] = []
  let wake = () => {}
  let more = new Promise<void>(() => {})
  const turn = () => {
    const done = wake
    more = new Promise((resolve) => {
      wake = resolve
    })
    done()
  }
  turn()
  const add = (part: Part) => {
    parts.push(part)
    turn()
  }

  const leave = new AbortController()
  // What are no options goes on to the run, which refuses it, as does what is no signal.
  const outer = (options as RunOptions | null)?.signal
  const follow = () => leave.abort(outer?.reason)
  if (isSignal(outer)) outer.addEventListener('abort', follow)
  if (outer?.aborted) follow()
  const signal = outer === undefined || isSignal(outer) ? leave.signal : outer
  const own = isRecord(options) ? { ...options, signal } : options
  const silence = publisher.listen(add)
  let ended = false
  const result = run(own as RunOptions, add).finally(() => {
    ended = true
    silence()
    if (isSignal(outer)) outer.removeEventListener('abort', follow)
    turn()
  })
  // Whoever iterates gets the error there.
  result.catch(() => {})

  // Left early: nobody looks any more, so nobody pays for the rest.
  const abandon = () =>
    leave.abort(new HoldfastError('ABORTED', 'The stream was left before its end.'))

  /** A generator's `return` waits for the `next` under way, and skips the end of one that never began. */
  function iterate<T>(pick: (part: Part) => T | undefined): AsyncGenerator<T, void> {
    const all = generate(pick)
    const { return: end } = all
    all.return = (value) => {
      if (!ended) abandon()
      return end.call(all, value)
    }
    return all
  }

  async function* generate<T>(pick: (part: Part) => T | undefined): AsyncGenerator<T, void> {
    let finished = false
    try {
      for (let at = 0; ; ) {
        const part = parts[at]
        if (part) {
          at++
          const picked = pick(part)
          if (picked !== undefined) yield picked
        } else if (ended) break
        else await more
      }
      finished = true
      await result
    } finally {
      if (!finished) {
        abandon()
        await result.catch(() => {})
      }
    }
  }

  return {
    result,
    get textStream() {
      return iterate((part) => (part.type === 'TEXT_DELTA' ? part.text : undefined))
    },
    [Symbol.asyncIterator]: () => iterate((part) => part),
  }
}
