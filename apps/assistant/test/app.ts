import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { AgentItem, Storage } from '@holdfast/core'
import { openSql } from '@holdfast/sql'
import { inject } from 'vitest'

export interface AppOptions {
  /** Where it is started: its storage lies there, and its tools look there. */
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The environment without what would change the program's behaviour. */
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(HOLDFAST_|OPENAI_|NO_COLOR$)/.test(name),
  )
  return { ...Object.fromEntries(own), ...more }
}

/** Starts the built program. */
export function startApp(
  args: readonly string[],
  { cwd, env }: AppOptions,
): { child: ChildProcessWithoutNullStreams; ended: Promise<Ended>; stdout: () => string } {
  const child = spawn(process.execPath, [inject('app'), ...args], { cwd, env: environment(env) })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // A killed program does not read its input to the end.
  child.stdin.on('error', () => {})
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  return { child, ended, stdout: () => stdout }
}

/** Runs the built program to its end, with this input. */
export function runApp(
  args: readonly string[],
  options: AppOptions & { readonly input?: string },
): Promise<Ended> {
  const { child, ended } = startApp(args, options)
  child.stdin.end(options.input ?? '')
  return ended
}

/** Looks into the storage of the program that was started in `cwd`. */
export async function withStorage<T>(
  cwd: string,
  look: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = await openSql(`sqlite:${cwd}/.holdfast/assistant.db`)
  try {
    return await look(storage)
  } finally {
    await storage.close()
  }
}

export const itemsOf = (cwd: string, session: string): Promise<AgentItem[]> =>
  withStorage(cwd, (storage) => storage.memory(session).getItems())
