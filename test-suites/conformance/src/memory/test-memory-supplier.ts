import { bindCases, type TestRunner } from '../bind.ts'
import { prepare } from '../case.ts'
import { closeAll } from '../connection-shape.ts'
import { freshId } from '../fresh-id.ts'
import type { Limits } from '../limits.ts'
import { type MemorySupplier, type SupplierHarness, supplierCases } from './supplier-cases.ts'

/** The supplier under test. */
export interface MemorySupplierOptions {
  /** Called twice for a persistent supplier, over the same storage: two calls stand for two processes. */
  connect(): Promise<{ readonly supply: MemorySupplier; close(): Promise<void> }>
}

/** Registers the cases about what an agent is given for `memorySupplier` with a test runner. */
export function testMemorySupplier(
  name: string,
  options: MemorySupplierOptions,
  abilities: { readonly persistent: boolean; readonly limits?: Limits | undefined },
  runner?: TestRunner,
): void {
  const { persistent, limits } = abilities
  let opened: Promise<readonly Awaited<ReturnType<MemorySupplierOptions['connect']>>[]> | undefined

  const connect = async () => {
    const first = await options.connect()
    return persistent ? [first, await options.connect()] : [first]
  }
  const harness = async (): Promise<SupplierHarness> => {
    opened ??= connect()
    const [first, second = first] = await opened
    if (!first || !second) throw new Error('connect() answered nothing')
    return {
      persistent,
      supply: (id) => first.supply(id),
      resupply: (id) => second.supply(id),
      newId: () => freshId('s').slice(0, 40),
    }
  }
  bindCases(name, prepare('supplier', supplierCases, harness), {
    limits,
    runner,
    async close() {
      const connections = await opened?.catch(() => [])
      opened = undefined
      await closeAll(connections ?? [])
    },
  })
}
