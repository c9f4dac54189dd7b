/** Begins a run of ten steps, or goes on with the one that was killed, and notes outside what it does. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { createStorage } from '@holdfast/core'
import { openBackend, type SharedBackend } from './backends.ts'
import { orders } from './child.ts'
import { tenSteps } from './ten-steps.ts'

export interface RunOrders {
  readonly backend: SharedBackend
  readonly path: string
  readonly session: string
  /** Where the memory is: in the process, saved with `autosave: 'sync'`, or durable, with `step`. */
  readonly memory: 'sync' | 'step'
  /** One line for each call that begins: `ran <session> <call>`; and `rerun …` before it is let run again. */
  readonly effects: string
  /** One line for each prompt: the JSON of its items. */
  readonly prompts: string
  /** Longest time of one tool, in ms. */
  readonly toolMs: number
}

const { backend, path, session, memory, effects, prompts, toolMs } = await orders<RunOrders>()
const say = (line: string) => writeSync(1, `${line}\n`)
say('started')

/** Written through to the disk before it returns: what was done outside cannot be taken back. */
function note(file: string, line: string): void {
  const handle = openSync(file, 'a')
  writeSync(handle, `${line}\n`)
  fsyncSync(handle)
  closeSync(handle)
}

const { driver, close } = await openBackend(backend, path)
await tenSteps({
  storage: createStorage(driver),
  session,
  memory,
  toolMs,
  onPrompt: (items) => note(prompts, items),
  onRun(callId) {
    note(effects, `ran ${session} ${callId}`)
    say(`ran ${callId}`)
  },
  onRerun(callId, state) {
    say(`pending ${callId} ${state}`)
    note(effects, `rerun ${session} ${callId}`)
  },
})
close()
say('completed')
