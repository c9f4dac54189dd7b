import { HoldfastError, show, wrong } from '../errors.ts'
import type { CellChange, CellState } from './cell.ts'
import { memoryOf } from './memory-records.ts'
import { sessionOf } from './session-records.ts'
import type { StorageScope } from './storage.ts'

/** What a copy found to take over, deletions aside. */
export interface SessionCopy {
  /** Whether there is a memory of that id. */
  readonly memory: boolean
  /** Whether there is a session record of that id. */
  readonly session: boolean
}

/**
 * Copies the memory and the session called `id` from one storage, or scope, to another: exactly, with every
 * event, so that `agent.resumeSession(id)` goes on there as it would have here: what was deleted is deleted
 * there, too. The source stays as it is. What is there already is left alone if it is the same, so a copy that was
 * cut short can be repeated; if it differs, that is `CONFLICT`. What was copied and then deleted there is written
 * anew: repeat no copy for ids that people go on to use there.
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
  // Throws where what is there cannot be read. The record first: a memory may be ahead of its record, never behind,
  // or a resume would rewind it.
  const record = await source.session.read((state) => {
    sessionOf(state, id)
    return recordContent(state)
  })
  const memory = await source.memory.read((state) => {
    memoryOf(state.records)
    return content(state)
  })
  if (typeof record !== 'object' && typeof memory !== 'object') {
    throw new HoldfastError(
      'NOT_FOUND',
      `There is neither a session nor a memory ${show(id)} to copy; storage.sessions().listSessionIds() and storage.listMemories() tell what there is.`,
    )
  }
  // And the memory first where they go: a resume between the two finds what will be there.
  const installs = {
    memory: installing(content, memory, `A memory ${show(id)}`),
    session: installing(recordContent, record, `A session ${show(id)}`),
  }
  // Nothing is written where either is in the way.
  await target.memory.read(installs.memory)
  await target.session.read(installs.session)
  await target.memory.commit(installs.memory, { fresh: true })
  try {
    await target.session.commit(installs.session, { fresh: true })
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error
    const { code, message, cause } = error
    throw new HoldfastError(
      code,
      `The memory ${show(id)} is copied, its session may not be; copy it again. ${message}`,
      { cause, outcome: 'unknown' },
    )
  }
  return { memory: typeof memory === 'object', session: typeof record === 'object' }
}

// By its shape: two copies of core may be loaded, one as ESM and one as CommonJS.
const isScope = (value: unknown): boolean => typeof Object(value).cellsOf === 'function'

/** What a cell holds. `deleted` and `never` are not the same: a resume fills only a memory that never was. */
type Content =
  | { readonly records: readonly string[]; readonly meta: string | undefined }
  | 'deleted'
  | 'never'

function content({ life, revision, records, meta }: CellState): Content {
  if (life !== undefined) return { records: [...records], meta }
  return revision === undefined ? 'never' : 'deleted'
}

/** Nothing can tell a session that was deleted from one that never was. */
function recordContent(state: CellState): Content {
  const found = content(state)
  return found === 'deleted' ? 'never' : found
}

/** The change that leaves a cell with `wanted`: `CONFLICT` where it holds something else. */
const installing =
  (view: (state: CellState) => Content, wanted: Content, what: string) =>
  (state: CellState): CellChange => {
    const found = view(state)
    if (isSame(wanted, found)) return undefined
    if (typeof found !== 'object') {
      if (typeof wanted === 'object') {
        const { records, meta } = wanted
        return { records, ...(meta !== undefined && { meta }) }
      }
      if (wanted === 'deleted') return 'delete'
    }
    const said =
      found === 'deleted'
        ? 'was deleted there; copy'
        : 'that differs is there already; delete it first, or copy'
    throw new HoldfastError('CONFLICT', `${what} ${said} into another scope.`, {
      outcome: 'not-committed',
    })
  }

function isSame(one: Content, other: Content): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other
  return (
    one.meta === other.meta &&
    one.records.length === other.records.length &&
    one.records.every((record, at) => record === other.records[at])
  )
}
