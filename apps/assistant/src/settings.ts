import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HoldfastError } from '@holdfast/core'

/** What is shown and stored nowhere: the model's key, and what the storage's URL has of a password or a key. */
export function secretsOf(env: NodeJS.ProcessEnv): string[] {
  const { OPENAI_API_KEY = '', HOLDFAST_URL = '' } = env
  const [, password = ''] = /^[^/]*:\/\/[^/@]*?:([^/]*)@/.exec(HOLDFAST_URL) ?? []
  const query = HOLDFAST_URL.split('?')[1] ?? ''
  const inQuery = [...new URLSearchParams(query)]
    .filter(([name]) => /key|secret|token|passw/i.test(name))
    .map(([, value]) => value)
  return [OPENAI_API_KEY, password, decoded(password), ...inQuery]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

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
