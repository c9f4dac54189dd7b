import { tool } from '@holdfast/core'
import { z } from 'zod'
import type { Folder } from './folder.ts'
import { replaceFile } from './replace-file.ts'

/** Longest content, in UTF-16 units: a model that wants more is better off with a command. */
const MAX_CHARS = 500_000

export const writeFileTool = (folder: Folder, needsApproval: boolean) =>
  tool({
    name: 'write_file',
    description:
      'Writes a text file, in place of one of that name; makes the folders that are missing. Needs the approval of the user.',
    parameters: z.object({
      path: z.string().min(1).describe('A file, relative to the root, such as notes/today.md'),
      content: z.string().max(MAX_CHARS).describe('The whole content of the file'),
    }),
    needsApproval,
    execute: async ({ path, content }, { signal }) => {
      const target = await folder.target(path)
      signal.throwIfAborted()
      const created = await replaceFile(target, content)
      const bytes = Buffer.byteLength(content)
      return `${created ? 'Created' : 'Replaced'} ${folder.display(target)} (${bytes} ${bytes === 1 ? 'byte' : 'bytes'})`
    },
  })
