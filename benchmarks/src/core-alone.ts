import { createStorage, MemoryDriver } from '@holdfast/core'
import { messageOf, messages } from './bytes.ts'
import { interleave, type Side } from './rounds.ts'
import { type Effort, SIZES } from './scenarios/compared.ts'
import { type Spread, spreadOf } from './statistics.ts'

/** What core itself takes for one append, in µs: over the in-memory driver, which does next to nothing. */
export async function coreAlone(effort: Effort): Promise<Readonly<Record<number, Spread>>> {
  const item = messageOf(200, 7)
  const operations = 5 * effort.appends
  const sides: Record<string, Side> = {}
  for (const size of SIZES) {
    sides[size] = {
      operations,
      async prepare() {
        const memory = createStorage(new MemoryDriver()).memory('core')
        await memory.restore({ items: messages(size, 200) })
        return async () => {
          for (let at = 0; at < operations; at++) await memory.addOutputItems([item])
        }
      },
    }
  }
  const measured = await interleave(sides, effort)
  return Object.fromEntries(SIZES.map((size) => [size, spreadOf(measured[size] ?? [])]))
}
