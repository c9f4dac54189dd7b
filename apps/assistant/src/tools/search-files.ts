import { stat } from 'node:fs/promises'
import { tool } from '@holdfast/core'
import { z } from 'zod'
import { cut } from '../output/cut.ts'
import type { Folder } from './folder.ts'
import { MAX_FILE_BYTES, readText } from './read-text.ts'
import { walk } from './walk.ts'

const MAX_MATCHES = 50
const MAX_LINE_CHARS = 200
/** A search ends after so many bytes, so that no folder can keep it running without end. */
const MAX_BYTES = 256 * 1024 * 1024

export const searchFilesTool = (folder: Folder) =>
  tool({
    name: 'search_files',
    description:
      'Finds a text in the files of a folder, whatever its case, and shows each line as path:line: text. Plain text, not a pattern.',
    parameters: z.object({
      query: z.string().min(1).max(200).describe('The text to look for'),
      path: z.string().default('.').describe('A folder or a file, relative to the root'),
    }),
    execute: ({ query, path }, { signal }) => search(folder, query, path, signal),
  })

async function search(folder: Folder, query: string, path: string, signal?: AbortSignal) {
  const real = await folder.resolve(path)
  const wanted = query.toLowerCase()
  const lines: string[] = []
  const notes: string[] = []
  const done = { files: 0, bytes: 0, partly: 0 }
  for await (const file of filesOf(real, signal)) {
    if (lines.length > MAX_MATCHES) break
    if (done.bytes > MAX_BYTES) {
      notes.push(`[cut: stopped after ${done.files} files; search a deeper folder]`)
      break
    }
    const handle = await folder.openFile(folder.display(file)).catch(() => undefined)
    if (!handle) continue
    const { text, size, cut: partly } = await readText(handle)
    done.files += 1
    done.bytes += Math.min(size, MAX_FILE_BYTES)
    if (text === undefined) continue
    if (partly) done.partly += 1
    for (const line of matches(text, wanted)) {
      lines.push(`${folder.display(file)}:${line}`)
      if (lines.length > MAX_MATCHES) break
    }
  }
  if (lines.length > MAX_MATCHES) {
    lines.pop()
    notes.push(`[cut: the first ${MAX_MATCHES} matches; search a deeper folder]`)
  } else if (lines.length === 0) notes.unshift(`[no match in ${done.files} files]`)
  // A match behind the bound must not pass for none.
  if (done.partly > 0) {
    notes.push(
      `[of ${done.partly} long files only the first ${MAX_FILE_BYTES} bytes were searched]`,
    )
  }
  return [...lines, ...notes].join('\n')
}

async function* filesOf(real: string, signal?: AbortSignal): AsyncGenerator<string> {
  if ((await stat(real)).isFile()) return yield real
  for await (const found of walk(real, signal)) if (!found.isFolder) yield found.path
}

function* matches(text: string, wanted: string): Generator<string> {
  if (!text.toLowerCase().includes(wanted)) return
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.toLowerCase().includes(wanted)) continue
    const shown = line.trim()
    yield `${index + 1}: ${around(shown, shown.toLowerCase().indexOf(wanted))}`
  }
}

/** The part of a long line around what was found. */
function around(line: string, at: number): string {
  if (line.length <= MAX_LINE_CHARS) return line
  let start = Math.max(0, Math.min(at - 60, line.length - MAX_LINE_CHARS))
  const code = line.charCodeAt(start)
  // Not in the middle of a surrogate pair.
  if (code >= 0xdc00 && code <= 0xdfff) start += 1
  const end = start + MAX_LINE_CHARS
  return `${start > 0 ? '…' : ''}${cut(line.slice(start), MAX_LINE_CHARS)}${end < line.length ? '…' : ''}`
}
