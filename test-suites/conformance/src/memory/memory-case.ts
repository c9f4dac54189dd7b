import type { ConformanceCase } from '../case.ts'
import type { MemoryAbilities, MemoryHarness } from './memory-harness.ts'

/** `true`, or why a rule does not concern a memory of these abilities. */
export type Applies = (harness: { readonly abilities: MemoryAbilities }) => true | string

/** A case over one memory, and which memories it is for: known from the abilities alone. */
export interface MemoryCase extends ConformanceCase<MemoryHarness> {
  readonly applies: Applies
}

export const always: Applies = () => true
export const snapshots: Applies = ({ abilities }) =>
  abilities.snapshot || 'the memory is not snapshot-capable'
export const persistent: Applies = ({ abilities }) =>
  abilities.persistent || 'the memory is not persistent'
export const compresses: Applies = ({ abilities }) =>
  abilities.swap !== 'none' || 'the memory takes no compressor'
export const swapsLazily: Applies = ({ abilities }) =>
  abilities.swap === 'lazy' || 'the memory does not swap its compressor lazily'
export const swapsEagerly: Applies = ({ abilities }) =>
  abilities.swap === 'eager' || 'the memory does not swap its compressor eagerly'

/** Each of `conditions`; the first that is not met gives the reason. */
export const all =
  (...conditions: readonly Applies[]): Applies =>
  (harness) =>
    conditions.map((condition) => condition(harness)).find((answer) => answer !== true) ?? true

type Run = (harness: MemoryHarness) => Promise<void>

/** Makes a case; `id` gets its `memory-` in front. */
export const memoryCase = (id: string, name: string, applies: Applies, run: Run): MemoryCase => ({
  id: `memory-${id}`,
  name,
  applies,
  run,
})

/** A case about two writers at once: it cannot be declared away. */
export const memoryRace = (id: string, name: string, applies: Applies, run: Run): MemoryCase => ({
  ...memoryCase(id, name, applies, run),
  race: true,
})
