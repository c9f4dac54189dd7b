import type { Dirent } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { tool } from '@holdfast/core'
import { z } from 'zod'
import type { Folder } from './folder.ts'
import { namesIn, walk } from './walk.ts'

const MAX_LINES = 200

export const listFilesTool = (folder: Folder) =>
  tool({
    name: 'list_files',
    description:
      'Lists the files and folders in a folder, one a line; folders end in "/". .git, node_modules and .holdfast are left out.',
    parameters: z.object({
      path: z.string().default('.').describe('A folder, relative to the root; "." is the root'),
      recursive: z.boolean().default(false).describe('Also list what lies deeper'),
    }),
    execute: async ({ path, recursive }, { signal }) => {
      const real = await folder.resolve(path)
      if (!(await stat(real)).isDirectory()) throw new Error(`${path} is a file; read it.`)
      return recursive ? deep(folder, real, signal) : shallow(folder, real)
    },
  })

async function shallow(folder: Folder, real: string): Promise<string> {
  const { entries, more } = await namesIn(real)
  const lines = await Promise.all(
    entries.slice(0, MAX_LINES).map((entry) => line(folder, real, entry)),
  )
  if (entries.length > MAX_LINES) {
    lines.push(
      `[cut: ${MAX_LINES} of ${entries.length}${more ? ' or more' : ''} names; list a deeper folder]`,
    )
  }
  return lines.join('\n') || '[the folder is empty]'
}

/** A name as one line: a line feed in a file name must not look like a second file. */
const nameOnly = (name: string): string => (/\p{Cc}/u.test(name) ? JSON.stringify(name) : name)

async function line(folder: Folder, parent: string, entry: Dirent): Promise<string> {
  const name = nameOnly(entry.name)
  const path = join(parent, entry.name)
  if (entry.isDirectory()) return `${name}/`
  if (!entry.isSymbolicLink()) return name
  const inside = await folder.resolve(folder.display(path)).catch(() => undefined)
  return inside === undefined
    ? `${name} [link that leads out or nowhere]`
    : `${name} -> ${nameOnly(folder.display(inside))}`
}

async function deep(folder: Folder, real: string, signal?: AbortSignal): Promise<string> {
  const lines: string[] = []
  for await (const found of walk(real, signal)) {
    if (lines.length === MAX_LINES) {
      lines.push(`[cut: only the first ${MAX_LINES} names; list a deeper folder]`)
      break
    }
    lines.push(nameOnly(folder.display(found.path)) + (found.isFolder ? '/' : ''))
  }
  return lines.join('\n') || '[the folder is empty]'
}
