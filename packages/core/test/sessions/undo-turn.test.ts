import { expect, test } from 'vitest'
import { type AgentEvent, type AgentItem, userMessage } from '../../src/index.ts'
import { withoutLastTurn } from '../../src/sessions/undo-turn.ts'
import { event } from './support.ts'

/** An item, and the number of the input that it came with; answers have that of none. */
type Tagged = readonly [item: AgentItem, input: number]

/** 0 to `below`, by a generator that starts at `seed`. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test('500 random histories of few words: each undo takes exactly one input and what is behind it', () => {
  let undone = 0
  for (let seed = 1; seed <= 500; seed++) {
    const random = randomOf(seed)
    const events: AgentEvent[] = []
    let memory: Tagged[] = []
    const items = () => memory.map(([item]) => item)
    const record = (type: AgentEvent['type'], payload: object) =>
      events.push(event(events.length + 1, type, { ...payload }))
    const word = (): AgentItem =>
      random(3) ? userMessage('x') : { type: 'message', role: 'developer', content: 'x' }

    for (let step = 1; step <= 30; step++) {
      const what = random(9)
      if (what < 6) {
        const input = Array.from({ length: 1 + random(3) }, word)
        record('USER_INPUT', { items: input })
        const answer = { type: 'message', role: 'assistant', content: `${step}` }
        record('MEMORY_ITEMS_APPENDED', { items: [answer] })
        memory.push(...input.map((item): Tagged => [item, step]), [answer, 0])
      } else if (what < 7) {
        memory = memory.slice(random(memory.length + 1))
        record('MEMORY_COMPRESS', { memory: { items: items(), summary: 's' } })
      } else {
        const last = memory.findLast(([, input]) => input > 0)?.[1]
        const rest = memory.slice(
          0,
          memory.findIndex(([, input]) => input === last),
        )
        const kept = withoutLastTurn(items(), events)
        expect([seed, step, kept]).toEqual([seed, step, last && rest.map(([item]) => item)])
        if (!last) continue
        undone++
        memory = rest
        record('SESSION_RESTORED', { reason: 'undo', items: items() })
      }
    }
  }
  expect(undone).toBeGreaterThan(1_000)
})
