import type { Storage } from '@holdfast/core'

export interface ListedSession {
  readonly id: string
  /** Epoch ms; absent where what is stored cannot be read. */
  readonly updatedAt?: number
  /** The beginning of its first question. */
  readonly title?: string
  /** How often the user asked. */
  readonly questions?: number
}

/**
 * All sessions of a storage, the last used first, without loading any. One that was killed in its first step
 * has a memory and no record yet: it is listed all the same.
 */
export async function listSessions(storage: Storage): Promise<ListedSession[]> {
  const found = new Map<string, ListedSession>()
  for await (const { id, updatedAt } of pages((query) => storage.listMemories(query), 'memories')) {
    found.set(id, { id, ...(updatedAt !== undefined && { updatedAt }) })
  }
  const store = storage.sessions()
  for await (const { id, metadata } of pages((query) => store.listSessions(query), 'sessions')) {
    const { title, questions } = metadata?.attributes ?? {}
    const updatedAt = Math.max(metadata?.updatedAt ?? 0, found.get(id)?.updatedAt ?? 0)
    found.set(id, {
      id,
      ...(updatedAt > 0 && { updatedAt }),
      ...(typeof title === 'string' && { title }),
      ...(typeof questions === 'number' && { questions }),
    })
  }
  return [...found.values()].sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0))
}

/** The rows of a list that comes in pages. */
async function* pages<Name extends string, Row>(
  page: (query: {
    limit: number
    after?: string | undefined
  }) => Promise<{ readonly [Key in Name]: Row[] } & { readonly next?: string }>,
  name: Name,
): AsyncGenerator<Row> {
  let after: string | undefined
  do {
    const answer = await page({ limit: 1_000, ...(after !== undefined && { after }) })
    yield* answer[name]
    after = answer.next
  } while (after !== undefined)
}
