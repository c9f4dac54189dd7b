import { spawn } from 'node:child_process'
import { tool } from '@holdfast/core'
import { z } from 'zod'
import { EndsOfText } from './ends-of-text.ts'
import type { Folder } from './folder.ts'

const DEFAULT_SECONDS = 30
const MAX_SECONDS = 600
/** Most characters kept of the output: half of its beginning, half of its end. */
const MAX_CHARS = 12_000

export const runCommandTool = (folder: Folder, needsApproval: boolean) =>
  tool({
    name: 'run_command',
    description: `Runs a command of the shell (sh) in the folder and answers its exit code and what it printed. It gets no input, and ends after timeout_seconds with all that it started. Needs the approval of the user.`,
    parameters: z.object({
      command: z.string().min(1).max(8_000).describe('The command line'),
      timeout_seconds: z.int().min(1).max(MAX_SECONDS).default(DEFAULT_SECONDS),
    }),
    needsApproval,
    execute: ({ command, timeout_seconds: seconds }, { signal }) =>
      runCommand(folder.root, command, seconds * 1_000, signal),
  })

/** Names whose values are nobody's business: a command that prints its environment would show them to the model. */
const SECRET_NAME = /key|token|secret|passw|credential|auth|cookie|^HOLDFAST_URL$/i

const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !SECRET_NAME.test(name)))

/** Ends each command that runs. However the program ends, short of `kill -9`, its commands end with it. */
const running = new Set<() => void>()
process.on('exit', () => {
  for (const kill of running) kill()
})

function runCommand(
  cwd: string,
  command: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    // A process group of its own: what the command starts ends with it.
    const child = spawn('/bin/sh', ['-c', command], {
      cwd,
      env: environment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = new EndsOfText(MAX_CHARS)
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => output.add(text))
    }
    let late = false
    const kill = () => killGroup(child.pid)
    // What left the group may hold the pipes: nobody waits for what it prints.
    const stop = () => {
      kill()
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const timer = setTimeout(() => {
      late = true
      stop()
    }, timeoutMs)
    signal.addEventListener('abort', stop)
    running.add(kill)
    if (signal.aborted) stop()
    // What runs on in the background would hold the pipes open for ever.
    child.on('exit', kill)
    const release = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      running.delete(kill)
    }
    child.on('error', (error) => {
      release()
      reject(error)
    })
    child.on('close', (code, killer) => {
      release()
      const end = late
        ? `stopped after ${timeoutMs / 1_000} s`
        : code === null
          ? `ended by ${killer}`
          : `exit code ${code}`
      resolve(`[${end}]\n${output.text() || '[no output]'}`)
    })
  })
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
