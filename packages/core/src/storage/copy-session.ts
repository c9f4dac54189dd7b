import { HoldfastError, show, wrong } from '../errors.ts'
import type { Cell, CellState } from './cell.ts'
import { memoryOf } from './memory-records.ts'
import { sessionOf } from './session-records.ts'
import type { StorageScope } from './storage.ts'

/** What a copy found to take over. */
export interface SessionCopy {
  /** Whether there is a memory of that id. */
  readonly memory: boolean
  /** Whether there is a session record of that id. */
  readonly session: boolean
}

/**
 * Copies the memory and the session called `id` from one storage, or scope, to another: exactly, with every
 * event, so that `agent.resumeSession(id)` goes on there. The source stays as it is. What is there already is
 * left alone if it is the same, so a copy that was cut short can be repeated; if it differs, that is `CONFLICT`.
 *
 * Let nobody write the session meanwhile: what is written after its turn to be read is not copied.
 *
 * ```ts
 * import { copySession, createStorage, MemoryDriver } from '@holdfast/core'
 *
 * const from = createStorage(new MemoryDriver())
 * const to = createStorage(new MemoryDriver())
 * await from.memory('chat-1').addUserInput('hello')
 * const copied = await copySession(from, to, 'chat-1') // { memory: true, session: false }
 * ```
 *
 * Errors: `INVALID_ARGUMENT`, `NOT_FOUND` (neither is there), `CORRUPT` and `UNSUPPORTED` (the source cannot be
 * read), `CONFLICT`, `TOO_LARGE`, `STORAGE_FAILED`, `CLOSED`.
 */
export async function copySession(
  from: StorageScope,
  to: StorageScope,
  id: string,
): Promise<SessionCopy> {
  if (!isScope(from)) throw wrong('from', 'a Storage or a scope of one', from)
  if (!isScope(to)) throw wrong('to', 'a Storage or a scope of one', to)
  const [source, target] = [from.cellsOf(id), to.cellsOf(id)]
  if (source.memory === target.memory) {
    throw wrong(
      'to',
      'another storage or scope than from: a session cannot be copied onto itself',
      to,
    )
  }
  // The record first: a memory may be ahead of its record, never behind, or a resume would rewind it.
  const record = await contentOf(source.session, (state) => sessionOf(state, id))
  const memory = await contentOf(source.memory, ({ records }) => memoryOf(records))
  if (!record && !memory) {
    throw new HoldfastError(
      'NOT_FOUND',
      `There is neither a session nor a memory ${show(id)} to copy; storage.sessions().listSessionIds() and storage.listMemories() tell what there is.`,
    )
  }
  // And the memory first where they go: a resume between the two finds what will be there.
  if (memory) await install(target.memory, memory, `A memory ${show(id)}`)
  if (record) await install(target.session, record, `A session ${show(id)}`)
  return { memory: memory !== undefined, session: record !== undefined }
}

// By its shape: two copies of core may be loaded, one as ESM and one as CommonJS.
const isScope = (value: unknown): boolean => typeof Object(value).cellsOf === 'function'

interface Content {
  readonly records: readonly string[]
  readonly meta: string | undefined
}

/** What a cell holds; undefined if nothing. `check` throws where that cannot be read. */
const contentOf = (
  cell: Cell,
  check: (state: CellState) => unknown,
): Promise<Content | undefined> =>
  cell.read((state) => {
    if (state.life === undefined) return undefined
    check(state)
    return { records: [...state.records], meta: state.meta }
  })

async function install(cell: Cell, { records, meta }: Content, what: string): Promise<void> {
  await cell.commit(
    (state) => {
      if (state.life === undefined) return { records, ...(meta !== undefined && { meta }) }
      const same =
        state.meta === meta &&
        state.records.length === records.length &&
        state.records.every((record, at) => record === records[at])
      if (same) return undefined
      throw new HoldfastError(
        'CONFLICT',
        `${what} that differs is there already; delete it first, or copy into another scope.`,
        { outcome: 'not-committed' },
      )
    },
    { fresh: true },
  )
}
