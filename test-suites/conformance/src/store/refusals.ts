import type { AgentSessionSnapshot } from '@holdfast/core'
import { failure, user } from '../memory/expect.ts'
import { assertGone, assertRefused, assertStored, grown, sessionOf } from './session-snapshots.ts'
import { storeCase } from './session-store-harness.ts'

/** What no session is ever named. */
const REFUSED = [
  '',
  ' ',
  '\t',
  '\u00a0\u2003',
  '\ud800',
  'a\udc00b',
  'a\u0000b',
  'a\nb',
  'x'.repeat(256),
]

export const refusalCases = [
  storeCase(
    'refuses-ids',
    'blank, ill-formed and overlong ids, and those with control characters, are INVALID_ARGUMENT to save',
    async ({ store }) => {
      for (const id of REFUSED) await failure(store.save(sessionOf(id, 1)), 'INVALID_ARGUMENT')
    },
  ),
  storeCase(
    'refuses-lossy-values',
    'what JSON cannot carry is NOT_SERIALIZABLE in attributes and memory, before anything is written',
    async ({ store, other, newId }) => {
      const first = sessionOf(newId(), 2)
      const { revision } = await store.save(first)
      const cycle: Record<string, unknown> = { type: 'x' }
      cycle['self'] = cycle
      const lossy = [
        new Date(0),
        7n,
        Number.NaN,
        new Map(),
        new Uint8Array(2),
        () => 1,
        [undefined],
      ]
      for (const value of [...lossy, cycle]) {
        const item = { type: 'x', deep: [{ value }] }
        const changes: Partial<AgentSessionSnapshot>[] = [
          { memory: { items: [user('fine'), item] } },
          { metadata: { createdAt: 1, updatedAt: 2, attributes: { value: value as never } } },
        ]
        for (const change of changes) {
          const next = { ...grown(first, revision), ...change }
          await assertRefused([store, other], next, 'NOT_SERIALIZABLE', first)
          const created = sessionOf(newId(), 1, change)
          await assertRefused([store, other], created, 'NOT_SERIALIZABLE', undefined)
        }
      }
    },
  ),
  storeCase(
    'refuses-large-attributes',
    'attributes over 10 KiB are TOO_LARGE before anything is written; 10 KiB are kept, encrypted or not',
    async ({ store, other, newId }) => {
      const [id, fresh] = [newId(), newId()]
      const first = sessionOf(id, 2)
      const { revision } = await store.save(first)
      const withText = (base: AgentSessionSnapshot, text: string) => ({
        ...base,
        metadata: { ...base.metadata, attributes: { text } },
      })
      // `{"text":""}` takes 11 bytes; a letter of three bytes shows what is counted.
      const most = 10 * 1_024 - 11
      for (const text of ['x'.repeat(most + 1), '日'.repeat(most / 3 + 1)]) {
        const next = withText(grown(first, revision), text)
        await assertRefused([store, other], next, 'TOO_LARGE', first)
        await failure(store.save(withText(sessionOf(fresh, 1), text)), 'TOO_LARGE')
        await assertGone([store, other], fresh)
      }
      const largest = withText(grown(first, revision), 'x'.repeat(most))
      await store.save(largest)
      await assertStored([store, other], largest)
    },
  ),
]
