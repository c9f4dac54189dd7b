import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HoldfastError } from '@holdfast/core'

/** The variables whose values are shown and stored nowhere. */
export const SECRET_VARIABLES = ['OPENAI_API_KEY']

/** What a prompt may take by default: room for it in any model of today. */
const CONTEXT_TOKENS = 32_000
const MIN_CONTEXT_TOKENS = 500

/** Where everything of ours lies in the folder that the program was started in. */
const dataFolder = (cwd: string): string => join(cwd, '.holdfast')

export const historyPath = (cwd: string): string => join(dataFolder(cwd), 'history')

/** How many tokens a prompt may take: `HOLDFAST_CONTEXT_TOKENS`. */
export function contextTokens(env: NodeJS.ProcessEnv): number {
  const text = env['HOLDFAST_CONTEXT_TOKENS']
  if (!text) return CONTEXT_TOKENS
  const tokens = Number(text)
  if (Number.isSafeInteger(tokens) && tokens >= MIN_CONTEXT_TOKENS) return tokens
  throw new HoldfastError(
    'INVALID_ARGUMENT',
    `HOLDFAST_CONTEXT_TOKENS must be a whole number from ${MIN_CONTEXT_TOKENS}.`,
  )
}

/** The storage that `HOLDFAST_URL` names; by default an SQLite file, whose folder is made here. */
export async function storageUrl(env: NodeJS.ProcessEnv, cwd: string): Promise<string> {
  const url = env['HOLDFAST_URL']
  if (url) return url
  const folder = dataFolder(cwd)
  try {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 })
    // Conversations do not belong into anybody's repository.
    if (made !== undefined) await writeFile(join(folder, '.gitignore'), '*\n')
  } catch (error) {
    throw new HoldfastError(
      'STORAGE_FAILED',
      `The folder ${folder} cannot be made; set HOLDFAST_URL to store elsewhere, such as sqlite:/tmp/agent.db.`,
      { cause: error },
    )
  }
  return `sqlite:${join(folder, 'assistant.db')}`
}
