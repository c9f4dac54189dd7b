import type { Append, StoredSession, Version } from '@holdfast/core'
import { broken } from './broken-driver.ts'
import { type Cell, PlainDriver } from './plain-driver.ts'

const keeping = (
  name: string,
  killedBy: string | readonly string[],
  keep: (text: string) => string,
) =>
  broken(
    name,
    killedBy,
    class extends PlainDriver {
      override keep(text: string) {
        return keep(text)
      }
    },
  )

/** What `JSON.parse` and `JSON.stringify` make of a text; other texts as they are. */
function reparsed(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

export const brokenValues = [
  keeping('values are parsed and written anew, as jsonb does', 'values-hostile', reparsed),
  keeping('blanks around values are trimmed', ['values-hostile', 'values-heads'], (text) =>
    text.trim(),
  ),
  keeping('what is not ASCII is dropped', ['values-hostile', 'read-back'], (text) =>
    text.replace(/[^\0-\x7f]/g, ''),
  ),
  keeping('emoji become question marks', 'values-hostile', (text) =>
    text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  ),
  keeping('escapes in values are resolved', ['values-hostile', 'finished-strings'], (text) =>
    text.replace(/\\u([\da-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
  ),
  keeping('line ends are made one kind', 'values-hostile', (text) =>
    text.replace(/\r\n|\r|\n/g, ' '),
  ),
  broken(
    'appended values are trimmed',
    'values-appended',
    class extends PlainDriver {
      override joined(cell: Cell, change: Append) {
        return [...cell.entries.slice(change.drop), ...change.entries.map((entry) => entry.trim())]
      }
    },
  ),
  broken(
    'heads are cut at 8,000 characters',
    ['values-heads', 'sessions-in-parts'],
    class extends PlainDriver {
      override put(id: string, next: StoredSession, before: Cell | undefined) {
        super.put(id, { ...next, head: next.head.slice(0, 8_000) }, before)
      }
    },
  ),
  broken(
    'append cuts heads at 8 KiB',
    'values-appended-heads',
    class extends PlainDriver {
      override append(id: string, change: Append, expected: Version) {
        const head = Buffer.from(change.head).subarray(0, 8_192).toString()
        return super.append(id, { ...change, head }, expected)
      }
    },
  ),
  keeping(
    'values are cut at 65,535 characters',
    ['values-200kb', 'values-5mb', 'long-texts'],
    (text) => text.slice(0, 65_535),
  ),
  broken(
    'a session over 4 MB is an error',
    'values-5mb',
    class extends PlainDriver {
      override async replace(id: string, next: StoredSession, expected: Version | null) {
        const size = next.entries.reduce((sum, entry) => sum + Buffer.byteLength(entry), 0)
        if (size > 4_194_304) throw new Error('Packet too large')
        return super.replace(id, next, expected)
      }
    },
  ),
  broken(
    'the head keeps a mark of each write',
    'head-bounded',
    class extends PlainDriver {
      override async append(id: string, change: Append, expected: Version) {
        const before = this.find(id)?.head ?? ''
        const marks = before.length - before.trimEnd().length
        return super.append(id, { ...change, head: change.head + ' '.repeat(marks + 80) }, expected)
      }
    },
  ),
  broken(
    'one record that cannot be parsed blocks every session',
    ['corrupt-record', 'sessions-corrupt'],
    class extends PlainDriver {
      override async read(
        id: string,
        options?: { readonly unless?: string; readonly skip?: number },
      ) {
        for (const cell of this.cells.values()) for (const entry of cell.entries) JSON.parse(entry)
        return super.read(id, options)
      }
    },
  ),
]
