import type { Storage } from '@holdfast/core'
import { messages } from '../bytes.ts'
import type { Engine } from '../engine.ts'
import { interleave } from '../rounds.ts'
import { type Spread, spreadOf } from '../statistics.ts'
import { type Compared, compared, type Effort } from './compared.ts'

export interface ReadResult extends Compared {
  /** The same with all items copied out for the caller, µs. */
  readonly withItems: Spread
  /** Bytes that come back for one read of the unchanged session: over the wire, or of rows where there is none. */
  readonly bytes: number | undefined
  /** The same for a session of a hundredth of the size. */
  readonly bytesOfSmall: number | undefined
}

/** A strong read of an unchanged session of 1 MB, against a point read of its revision. */
export async function unchangedRead(engine: Engine, effort: Effort): Promise<ReadResult> {
  const { storage } = engine
  const memory = storage.memory('read')
  await memory.restore({ items: messages(1_000, 1_024) })
  await memory.getItems()
  await engine.bare.create('read', { head: '{}', body: '{}' }, 1)
  const count = effort.appends
  const measured = await interleave(
    {
      ours: {
        operations: count,
        prepare: async () => async () => {
          for (let at = 0; at < count; at++) await memory.getSummary()
        },
      },
      items: {
        operations: 1,
        prepare: async () => () => memory.getItems(),
      },
      bare: {
        operations: count,
        prepare: async () => () => engine.bare.readRevision('read', count),
      },
    },
    effort,
  )
  await storage.memory('small read').restore({ items: messages(10, 1_024) })
  return {
    ...compared(measured.ours, measured.bare),
    withItems: spreadOf(measured.items),
    ...(await bytesBack(engine)),
  }
}

async function bytesBack(engine: Engine): Promise<Pick<ReadResult, 'bytes' | 'bytesOfSmall'>> {
  if (engine.wired) {
    const wired = await engine.wired()
    try {
      return await bytesOf(wired.storage, () => wired.traffic().answerBytes)
    } finally {
      await wired.close()
    }
  }
  const rows = await engine.countingRows?.()
  return rows
    ? await bytesOf(rows.storage, rows.bytes)
    : { bytes: undefined, bytesOfSmall: undefined }
}

async function bytesOf(
  storage: Storage,
  counted: () => number,
): Promise<Pick<ReadResult, 'bytes' | 'bytesOfSmall'>> {
  const count = async (id: string) => {
    const memory = storage.memory(id)
    // The second one finds statements and scripts prepared.
    for (let read = 0; read < 2; read++) await memory.getItems()
    const before = counted()
    await memory.getItems()
    return counted() - before
  }
  return { bytes: await count('read'), bytesOfSmall: await count('small read') }
}
