import { createStorage } from '@holdfast/core'
import { toState } from './compressors.ts'
import type { Soak } from './soak.ts'

/** When nobody writes any more: what is stored, what a fresh process reads, and what the list says. */
export async function endCheck({ oracle, late, options }: Soak): Promise<void> {
  await late.flush()
  oracle.close()
  const [driver] = options.connections
  if (!driver) throw new Error('a soak needs a connection')
  const storage = createStorage(driver)
  const existing: string[] = []
  for (const cell of oracle.cells()) {
    oracle.audit(cell.id, await driver.read(cell.id))
    const name = cell.id.slice(PREFIX.length)
    if (cell.state.exists) existing.push(name)
    oracle.shown(cell.id, cell.now, toState(await storage.memory(name).snapshot()))
  }
  const listed: string[] = []
  for (let after: string | undefined, more = true; more; ) {
    const page = await storage.listMemories(after === undefined ? {} : { after })
    listed.push(...page.memories.map(({ id }) => id))
    after = page.next
    more = after !== undefined
  }
  if (listed.join('\n') !== existing.sort().join('\n')) {
    oracle.verdicts.add('wrong', '(list)', `lists ${listed.join()}, must list ${existing.join()}`)
  }
  await storage.close()
}

/** In front of the id of a memory outside any scope */
export const PREFIX = 'm0:'
