/** Appends one item after the other and prints each number once it is acknowledged, until it is killed. */
import { writeSync } from 'node:fs'
import { createStorage } from '@holdfast/core'
import { openBackend, type SharedBackend } from './backends.ts'
import { orders } from './child.ts'
import { itemOf } from './tokens.ts'

export interface KillOrders {
  readonly backend: SharedBackend
  readonly path: string
  readonly session: string
  readonly writer: string
}

const { backend, path, session, writer } = await orders<KillOrders>()
// Opened only now: a kill may meet the opening, too.
writeSync(1, 'started\n')
const { driver } = await openBackend(backend, path)
const memory = createStorage(driver).memory(session)
for (let number = 0; ; number++) {
  await memory.addOutputItems([itemOf(writer, number)])
  // Synchronous: the number is in the pipe before the next item is on its way.
  writeSync(1, `${number}\n`)
}
