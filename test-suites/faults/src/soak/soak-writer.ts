import { type DurableAgentMemory, functionCallOutput, userMessage } from '@holdfast/core'
import type { Operation, Plan } from '../oracle/operation.ts'
import { anyCompressor, type KnownCompressor, toState } from './compressors.ts'
import { PREFIX } from './end-check.ts'
import {
  addPlan,
  adoptPlan,
  clearPlan,
  deletePlan,
  restorePlan,
  setSummaryPlan,
  swapPlan,
  updatePlan,
} from './plans.ts'
import type { Soak, SoakStorage } from './soak.ts'

/** What a writer does next, and how often. */
const STEPS = {
  add: 70,
  burst: 8,
  read: 8,
  summary: 2,
  update: 2,
  swap: 3,
  clear: 1,
  restore: 1,
  delete: 1.5,
  leave: 0.4,
  restart: 0.5,
} as const

/** How often what is stored is compared with what must be. */
const AUDITS = 0.01

interface Handle {
  readonly memory: DurableAgentMemory
  readonly id: string
  compressors: readonly KnownCompressor[]
}

/** One writer: calls one after the other, now and then some at once, on handles of its own. */
export async function soakWriter(soak: Soak, writer: number, first: SoakStorage): Promise<void> {
  const { random, oracle, calls } = soak
  let home = first
  let handles = new Map<string, Handle>()
  let count = 0
  /** Numbers grow in call order, so that the order of arrival can be checked. */
  let numbers = 0

  function open(id: string): Handle {
    const known = handles.get(id)
    if (known) return known
    const compressor = anyCompressor(random, answered(id))
    const memory = home.storage.memory(id, { compressor: compressor.compressor })
    const handle = { memory, id, compressors: [compressor] }
    handles.set(id, handle)
    soak.held.push(memory)
    return handle
  }

  function answered(id: string): Parameters<typeof anyCompressor>[1] {
    const storage = home.name
    return (seen, result) => oracle.compressed(PREFIX + id, { storage, seen, result })
  }

  const begin = (id: string, plan: Plan): Operation => {
    const kind = plan.kind.replace(/\(.*/, '')
    calls[kind] = (calls[kind] ?? 0) + 1
    const number = numbers
    numbers += plan.brings.length
    return oracle.begin(plan, { storage: home.name, cell: PREFIX + id, writer }, number)
  }

  /** Makes the call and tells the oracle how it ended; answers whether it was acknowledged. */
  async function perform(operation: Operation, call: () => Promise<void>): Promise<boolean> {
    try {
      await call()
    } catch (error) {
      const { code, outcome, message } = error as {
        code?: string
        outcome?: 'committed' | 'not-committed' | 'unknown'
        message: string
      }
      oracle.fail(operation, outcome, `${code} ${message}`)
      return false
    }
    oracle.acknowledge(operation)
    return true
  }

  const text = () =>
    `${writer}.${count++}${random.chance(0.1) ? ' é\u2028\u0000😀'.repeat(20) : ''}`
  const item = () => userMessage(text())

  /** One add in one of its three forms, called at once. */
  function add(handle: Handle): Promise<boolean> {
    const { memory, id } = handle
    const active = () => handle.compressors
    switch (random.weighted({ user: 5, output: 3, tool: 3 })) {
      case 'user': {
        const input = text()
        const operation = begin(id, addPlan([JSON.stringify(userMessage(input))], active))
        return perform(operation, () => memory.addUserInput(input))
      }
      case 'output': {
        const items = Array.from({ length: random.integer(1, 4) }, item)
        const brings = items.map((one) => JSON.stringify(one))
        const operation = begin(id, addPlan(brings, active))
        return perform(operation, () => memory.addOutputItems(items))
      }
      case 'tool': {
        const output = text()
        const brings = [JSON.stringify(functionCallOutput('call_0', output))]
        const operation = begin(id, addPlan(brings, active))
        return perform(operation, () => memory.addToolOutput('call_0', output))
      }
    }
  }

  async function read({ memory, id }: Handle): Promise<void> {
    soak.reads++
    const cell = oracle.cell(PREFIX + id)
    const start = cell.now
    // Holds the states since `start` in the oracle's memory.
    const watch = { start } as Operation
    cell.open.add(watch)
    try {
      const shown = toState(await memory.snapshot())
      oracle.shown(cell.id, start, shown)
    } catch (error) {
      if ((error as { code?: string }).code !== 'STORAGE_FAILED') throw error
      soak.failedReads++
    } finally {
      cell.end(watch)
    }
  }

  async function swap(handle: Handle): Promise<void> {
    const { id, memory } = handle
    const before = handle.compressors
    const next = anyCompressor(random, answered(id))
    handle.compressors = [...before, next]
    const swapped = await perform(begin(id, swapPlan(next)), () =>
      memory.setCompressor(next.compressor),
    )
    handle.compressors = swapped ? [next] : before
  }

  async function step(): Promise<void> {
    const slot = random.integer(0, soak.ids.length - 1)
    const id = soak.ids[slot] as string
    const handle = open(id)
    const { memory } = handle
    switch (random.weighted(STEPS)) {
      case 'add':
        await add(handle)
        return
      case 'burst':
        await Promise.all(Array.from({ length: random.integer(2, 6) }, () => add(handle)))
        return
      case 'read':
        return read(handle)
      case 'summary': {
        const summary = random.chance(0.3) ? undefined : `summary ${writer}.${count++}`
        await perform(begin(id, setSummaryPlan(summary)), () => memory.setSummary(summary))
        return
      }
      case 'update': {
        const cut = random.integer(0, 5)
        const added = item()
        await perform(begin(id, updatePlan(cut, JSON.stringify(added))), async () => {
          await memory.update(({ items, summary }) => {
            const next = [...items.slice(cut), added]
            return summary === undefined ? { items: next } : { items: next, summary }
          })
        })
        return
      }
      case 'swap':
        return swap(handle)
      case 'clear':
        await perform(begin(id, clearPlan), () => memory.clear())
        return
      case 'restore': {
        const items = Array.from({ length: random.integer(0, 12) }, item)
        const brings = items.map((one) => JSON.stringify(one))
        const summary = random.chance(0.5) ? `restored ${writer}.${count++}` : undefined
        await perform(begin(id, restorePlan(brings, summary)), () =>
          memory.restore(summary === undefined ? { items } : { items, summary }),
        )
        return
      }
      case 'delete': {
        const answer: { deleted?: boolean } = {}
        await perform(begin(id, deletePlan(answer)), async () => {
          answer.deleted = random.chance(0.5)
            ? await memory.delete()
            : await home.storage.deleteMemory(id)
        })
        return
      }
      case 'leave': {
        // A new id takes the slot; whoever still holds the old one goes on with it.
        const fresh = soak.freshId()
        soak.ids[slot] = fresh
        const answer: { adopted?: boolean } = {}
        const items = Array.from({ length: random.integer(0, 4) }, item)
        const brings = items.map((one) => JSON.stringify(one))
        await perform(begin(fresh, adoptPlan(brings, answer)), async () => {
          answer.adopted = await open(fresh).memory.adopt({ items })
        })
        return
      }
      case 'restart':
        home = soak.freshStorage()
        handles = new Map()
        return
    }
  }

  while (!soak.done) {
    await step()
    soak.options.progress?.(oracle.counts.acknowledged)
    if (random.chance(AUDITS)) await audit(soak)
  }
}

async function audit({ random, ids, options, oracle }: Soak): Promise<void> {
  const id = PREFIX + random.pick(ids)
  // Both sides of the comparison are taken at once: the drivers of a soak answer in this same process.
  const stored = await random.pick(options.connections).read(id)
  if (stored !== 'unchanged' && (stored?.revision ?? null) === oracle.cell(id).revision) {
    oracle.audit(id, stored)
  }
}
