import type { DurableAgentMemory } from '@holdfast/core'
import { messageOf, messages } from '../bytes.ts'
import type { Engine } from '../engine.ts'
import { interleave, type Side } from '../rounds.ts'
import { ratios, type Spread, spreadOf } from '../statistics.ts'
import { type Compared, compared, type Effort, ITEM_BYTES, SIZES, sample } from './compared.ts'

/** A session of 10 items is not one any more after some appends: then the next one takes its place. */
const APPENDS_OF_SMALL = 10
/** Rounds until a session of 1,000 items is replaced. Loading 10,000 items anew would take longer than all that is measured. */
const ROUNDS_OF_MIDDLE = 10

export interface AppendResult {
  readonly at: Readonly<Record<number, Compared>>
  /** Ours at 10,000 items against ours at 10, round by round. */
  readonly growth: Spread
}

/** One item appended to a session of 10, 1,000 and 10,000 items. */
export async function appends(engine: Engine, effort: Effort): Promise<AppendResult> {
  const { storage } = engine
  const item = messageOf(ITEM_BYTES, 7)
  const sides: Record<string, Side> = {}
  for (const size of SIZES) {
    const bytes = await sample(size)
    const sessions = size === 10 ? Math.ceil(effort.appends / APPENDS_OF_SMALL) : 1
    const each = Math.ceil(effort.appends / sessions)
    const life = size === 10 ? 1 : size === 1_000 ? ROUNDS_OF_MIDDLE : Number.POSITIVE_INFINITY
    const rounds = { ours: 0, bare: 0 }
    let fresh = 0
    let ours: DurableAgentMemory[] = []
    let bare: string[] = []
    const ids = (prefix: string) =>
      Array.from({ length: sessions }, () => `${prefix} ${size} ${fresh++}`)

    sides[`ours ${size}`] = {
      operations: sessions * each,
      async prepare() {
        if (ours.length === 0 || rounds.ours++ % life === 0) {
          ours = ids('ours').map((id) => storage.memory(id))
          for (const memory of ours) await memory.restore({ items: messages(size, ITEM_BYTES) })
        }
        return async () => {
          for (const memory of ours) {
            for (let at = 0; at < each; at++) await memory.addOutputItems([item])
          }
        }
      },
    }
    sides[`bare ${size}`] = {
      operations: sessions * each,
      async prepare() {
        if (bare.length === 0 || rounds.bare++ % life === 0) {
          bare = ids('bare')
          for (const id of bare) await engine.bare.create(id, bytes, size)
        }
        return () => {
          let running: unknown
          for (const id of bare) {
            running =
              running instanceof Promise
                ? running.then(() => engine.bare.append(id, bytes, each))
                : engine.bare.append(id, bytes, each)
          }
          return running
        }
      },
    }
  }
  const measured = await interleave(sides, effort)
  const of = (name: string) => measured[name] ?? []
  return {
    at: Object.fromEntries(
      SIZES.map((size) => [size, compared(of(`ours ${size}`), of(`bare ${size}`))]),
    ),
    growth: spreadOf(ratios(of(`ours ${SIZES[2]}`), of(`ours ${SIZES[0]}`))),
  }
}
