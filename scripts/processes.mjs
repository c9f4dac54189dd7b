import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root folder, without a trailing slash. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')

const require = createRequire(import.meta.url)

/** The file behind a package's command: started with `node`, so that it works without a shell on every system. */
export function commandOf(packageName, command = packageName) {
  const manifest = require.resolve(`${packageName}/package.json`)
  const { bin } = require(manifest)
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[command])
}

/** turbo reports usage to its makers unless told not to, and no file of the repository can tell it. */
export const quietEnvironment = {
  ...process.env,
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
}

const GRACE_MS = 3_000

/**
 * Runs `node file ...args` at the repository's root and answers its exit code, and the signal that
 * stopped this process meanwhile: it ends the child and everything the child started, so that Ctrl-C
 * leaves nothing behind.
 */
export function runNode(file, args, { env = quietEnvironment } = {}) {
  const groups = process.platform !== 'win32'
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: groups,
  })
  const send = (signal) => {
    try {
      if (groups) process.kill(-child.pid, signal)
      else child.kill(signal)
    } catch {
      // The group is gone already.
    }
  }
  let stopped
  const stop = (signal) => {
    stopped ??= signal
    send(signal)
    setTimeout(() => send('SIGKILL'), GRACE_MS).unref()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, stop)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      for (const name of signals) process.off(name, stop)
      if (stopped) send('SIGKILL')
      if (signal) console.error(`${file} was ended by ${signal}.`)
      resolve({ code: code ?? 1, stopped })
    })
  })
}
