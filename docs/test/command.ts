import { spawn } from 'node:child_process'

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly output: string
}

/** Runs a command to its end, with no input. */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly timeoutMs?: number },
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: options.timeoutMs ?? 60_000,
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) =>
      resolve({
        code: code ?? 1,
        stdout,
        output: `${stdout}${stderr}${signal ? `ended by ${signal}` : ''}`,
      }),
    )
  })
}

/** What was printed, line by line, without blanks at the ends of lines. */
export function linesOf(stdout: string): string[] {
  if (stdout === '') return []
  return stdout
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.trimEnd())
}
