// `npm start`: builds what the assistant needs, quietly, and becomes the assistant.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { commandOf, quietEnvironment, root } from './processes.mjs'

/** A build with nothing to do is done by then, and needs no words. */
const QUIET_MS = 1_500

function turboCommand() {
  try {
    return commandOf('turbo')
  } catch {
    process.stderr.write('The packages are not installed; run npm ci first.\n')
    process.exit(1)
  }
}

/** Builds, showing what the tools say only if they fail. Answers the exit code. */
async function build() {
  // The conformance suite is a development dependency of what is needed, and not needed itself.
  const filters = ['--filter=@holdfast/assistant...', '--filter=!@holdfast/conformance']
  const child = spawn(
    process.execPath,
    [turboCommand(), 'run', 'build', '--only', '--output-logs=errors-only', ...filters],
    // Standard input is the chat's: a build that reads it would eat the first question.
    { cwd: root, env: quietEnvironment, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  const timer = setTimeout(
    () => process.stderr.write('Building the packages (some seconds the first time)…\n'),
    QUIET_MS,
  )
  // Ctrl-C reaches the build by itself, being in the same terminal; a signal to this process does not.
  const stop = (signal) => {
    child.kill(signal)
    process.exit(143)
  }
  process.once('SIGTERM', stop)
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode) => resolve(exitCode ?? 1))
  })
  clearTimeout(timer)
  process.off('SIGTERM', stop)
  if (code !== 0) process.stderr.write(Buffer.concat(output))
  return code
}

const code = await build()
if (code === 0) {
  const app = join(root, 'apps/assistant/dist/main.js')
  // In this very process: signals, standard streams and the exit code need no passing on, and a
  // kill leaves no second process behind that would still read the terminal.
  process.argv.splice(1, 1, app)
  await import(pathToFileURL(app).href)
} else {
  process.exitCode = code
}
