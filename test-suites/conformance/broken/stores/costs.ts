import {
  type AgentSessionSnapshot,
  type AgentSessionStore,
  createStorage,
  type SessionDriver,
} from '@holdfast/core'
import { withoutAppend } from '../../src/wrappers/index.ts'
import { overDriver } from './broken-store.ts'

/** `store`, with another way to save. */
const saving = (store: AgentSessionStore, save: AgentSessionStore['save']): AgentSessionStore => ({
  save,
  load: (id) => store.load(id),
  delete: (id) => store.delete(id),
  listSessionIds: () => store.listSessionIds(),
  listSessions: (query) => store.listSessions(query),
})

/** Writes the memory of a session somewhere beside it. */
const writeMemory = (driver: SessionDriver, { memory }: AgentSessionSnapshot) =>
  driver.replace(
    `beside:${crypto.randomUUID()}`,
    { revision: '1', head: '{}', entries: memory.items.map((item) => JSON.stringify(item)) },
    null,
  )

export const brokenCosts = [
  overDriver('every save writes the whole session', 'bytes-per-save', (driver) =>
    createStorage(withoutAppend(driver)).sessions(),
  ),
  overDriver('every save writes the whole memory beside the events', 'bytes-per-save', (driver) => {
    const store = createStorage(driver).sessions()
    return saving(store, async (snapshot) => {
      await writeMemory(driver, snapshot)
      return store.save(snapshot)
    })
  }),
  overDriver('the memory is stored although the events say it', 'memory-not-twice', (driver) => {
    const store = createStorage(driver).sessions()
    return saving(store, async (snapshot) => {
      if (snapshot.revision === undefined) await writeMemory(driver, snapshot)
      return store.save(snapshot)
    })
  }),
  overDriver('a save without new events writes all of them', 'save-of-nothing-new', (driver) =>
    createStorage(withoutAppend(driver)).sessions(),
  ),
]
