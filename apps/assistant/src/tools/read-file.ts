import { tool } from '@holdfast/core'
import { z } from 'zod'
import { cut } from '../output/cut.ts'
import type { Folder } from './folder.ts'
import { MAX_FILE_BYTES, readText } from './read-text.ts'

/** Most characters of a file in one output: about 4,000 tokens. */
const MAX_CHARS = 16_000

export const readFileTool = (folder: Folder) =>
  tool({
    name: 'read_file',
    description:
      'Reads a text file. A long one comes in parts: the last line then says with which start_line to go on.',
    parameters: z.object({
      path: z.string().min(1).describe('A file, relative to the root, such as docs/design.md'),
      start_line: z.int().min(1).default(1).describe('The first line to read, counted from 1'),
    }),
    execute: async ({ path, start_line: start }) => {
      const { text, size, cut: partial } = await readText(await folder.openFile(path))
      if (text === undefined) return `[${path} is a binary file of ${size} bytes]`
      return part(text, start, partial)
    },
  })

function part(text: string, start: number, partial: boolean): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  if (lines.at(-1) === '') lines.pop()
  if (lines.length === 0) return '[the file is empty]'
  if (start > lines.length) throw new Error(`The file has ${lines.length} lines.`)

  const taken: string[] = []
  let length = 0
  for (const line of lines.slice(start - 1)) {
    length += line.length + 1
    if (length > MAX_CHARS) break
    taken.push(line)
  }
  const next = start + taken.length
  const last = lines.length
  if (taken.length === 0) {
    // A single line over the bound, as in minified code: its beginning is better than nothing.
    const line = cut(lines[start - 1] ?? '', MAX_CHARS)
    return `${line}\n[cut: line ${start} of ${last} is longer; go on with start_line ${start + 1}]`
  }
  if (next <= last) {
    taken.push(`[cut: lines ${start} to ${next - 1} of ${last}; go on with start_line ${next}]`)
  } else if (partial) {
    taken.push(`[cut: only the first ${MAX_FILE_BYTES} bytes of a file can be read]`)
  }
  return taken.join('\n')
}
