/**
 * Owns one temporary folder and the servers in it, and outlives whoever started it: when its standard
 * input closes, because the test process closed it or was killed, it ends the servers and removes the folder.
 *
 * It reads one JSON command per line (`run`, `signal`) and answers one JSON event per line (`running`, `ended`).
 * Plain JavaScript, because a test process starts it with a bare `node`.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [folder] = process.argv.slice(2)
const GRACE_MS = 3_000
const running = new Map()

// Ctrl-C reaches every process of a terminal: this one ends by its input alone, behind its servers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
// Nobody reads the answers any more: that is no reason to leave the servers behind.
process.stdout.on('error', () => {})

const tell = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)

function send(child, signal) {
  try {
    // The group: a server may have helpers of its own.
    process.kill(-child.pid, signal)
  } catch {
    // It is gone already.
  }
}

function run({ key, command, args, cwd, log, user, env, stop }) {
  const output = openSync(log, 'a')
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    detached: true,
    ...user,
  })
  closeSync(output)
  const ended = new Promise((resolve) => {
    const end = (event) => {
      running.delete(key)
      tell({ event: 'ended', key, ...event })
      resolve()
    }
    child.once('error', (error) => end({ error: error.message }))
    child.once('exit', (code, signal) => end({ code, signal }))
  })
  if (child.pid === undefined) return
  running.set(key, { child, ended, stop })
  tell({ event: 'running', key, pid: child.pid })
}

async function endAll() {
  const all = [...running.values()]
  for (const { child, stop } of all) send(child, stop)
  const late = setTimeout(() => {
    for (const { child } of all) send(child, 'SIGKILL')
  }, GRACE_MS)
  await Promise.all(all.map(({ ended }) => ended))
  clearTimeout(late)
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  process.exit(0)
}

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const command = JSON.parse(line)
  if (command.do === 'run') run(command)
  else if (command.do === 'signal') {
    const one = running.get(command.key)
    if (one) send(one.child, command.signal)
  }
})
lines.on('close', endAll)
