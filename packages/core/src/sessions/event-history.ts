import type { AgentEvent } from '../contracts/events.ts'
import { wrong } from '../errors.ts'
import { isRecord, jsonText, WRAPPED_DEPTH } from '../json.ts'
import { foldEvents } from './session-event-projector.ts'

/** Texts of objects that nobody can change any more: a session's log freezes its events, and saves them often. */
const frozenTexts = new WeakMap<object, string>()

const isFrozen = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(isFrozen))

/** The JSON text of `value`, made once for what is frozen through and through. */
export function textOf<T extends object>(
  value: T,
  make: (value: T) => string = JSON.stringify,
): string {
  const known = frozenTexts.get(value)
  if (known !== undefined) return known
  const text = make(value)
  if (isFrozen(value)) frozenTexts.set(value, text)
  return text
}

/** True for what has the shape of an event behind one with the sequence number `last`. */
export const isEventAfter = (last: number, event: unknown): event is AgentEvent =>
  isRecord(event) &&
  Number.isSafeInteger(event['sequence']) &&
  Number(event['sequence']) > last &&
  typeof event['type'] === 'string' &&
  Number.isFinite(event['at']) &&
  isRecord(event['payload'])

/** The JSON text of each event; `INVALID_ARGUMENT` for what is no list of events with growing sequence numbers. */
export function eventTexts(events: unknown): string[] {
  if (!Array.isArray(events)) throw wrong('events', 'an array', events)
  let last = 0
  return Array.from(events as unknown[], (event, index) => {
    if (!isEventAfter(last, event)) {
      throw wrong(`events[${index}]`, `an event with a sequence number over ${last}`, event)
    }
    last = event.sequence
    return textOf(event, () => jsonText(event, `events[${index}]`, WRAPPED_DEPTH))
  })
}

const parse = (text: string) => JSON.parse(text) as AgentEvent

/**
 * What makes `next` of the events `stored`, both as texts: further events were `added`, or the front was
 * `trimmed` to a baseline (`session.trimEvents`) and perhaps others added. `undefined`: it is another history.
 */
export function continuation(
  stored: readonly string[],
  next: readonly string[],
): 'added' | 'trimmed' | undefined {
  if (stored.every((text, index) => text === next[index])) return 'added'
  const baseline = next[0] === undefined ? undefined : parse(next[0])
  if (baseline?.type !== 'SESSION_RESTORED' || baseline.payload['reason'] !== 'trim') return
  const old = stored.map(parse)
  const later = old.findIndex(({ sequence }) => sequence > baseline.sequence)
  const cut = later < 0 ? old.length : later
  if (stored.slice(cut).some((text, index) => text !== next[index + 1])) return
  const last = old[cut - 1]?.sequence ?? Infinity
  // Events that were never stored are among those trimmed: there is nothing to hold the baseline against.
  if (last < baseline.sequence && cut === old.length) return 'trimmed'
  const { items, summary } = foldEvents(old.slice(0, cut))
  const same =
    last === baseline.sequence &&
    summary === baseline.payload['summary'] &&
    JSON.stringify(items) === JSON.stringify(baseline.payload['items'])
  return same ? 'trimmed' : undefined
}
