import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { readJson, root } from './repository.ts'

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** Both streams, for messages. */
  readonly output: string
}

export interface CommandOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
}

/** Runs a command to its end. Answers whatever its exit code; rejects only if it cannot be started. */
export function run(
  command: string,
  args: readonly string[],
  { cwd, env = process.env }: CommandOptions,
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) =>
      resolve({ code: code ?? 1, stdout, stderr, output: `${stdout}${stderr}` }),
    )
  })
}

/** As `run`, but a non-zero exit code is an error that shows what the command said. */
export async function runOk(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<Finished> {
  const finished = await run(command, args, options)
  if (finished.code !== 0) {
    throw new Error(
      `${[command, ...args].join(' ')} ended with ${finished.code}\n${finished.output}`,
    )
  }
  return finished
}

/** The script behind an installed package's command, to be started with `node`. */
export function binary(packageName: string, command = packageName): string {
  const folder = join(root, 'node_modules', packageName)
  const { bin } = readJson<{ bin: string | Record<string, string> }>(join(folder, 'package.json'))
  const path = typeof bin === 'string' ? bin : bin[command]
  if (!path) throw new Error(`${packageName} has no command ${command}`)
  return join(folder, path)
}
