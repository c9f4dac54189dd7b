import { type Storage, userMessage } from '@holdfast/core'

export interface DiskResult {
  readonly text: number
  readonly stored: number
}

const TURNS = 200
const MESSAGE = 1_024

/** Tables and indexes after 200 turns of two messages of 1 KB. */
export async function disk(
  bytesOnDisk: (fill: (storage: Storage) => Promise<void>) => Promise<number>,
): Promise<DiskResult> {
  const text = (turn: number, who: string) =>
    `${who} ${turn} `.padEnd(MESSAGE, 'lorem ipsum dolor ')
  const stored = await bytesOnDisk(async (storage) => {
    const memory = storage.memory('chat')
    for (let turn = 0; turn < TURNS; turn++) {
      await memory.addUserInput(text(turn, 'user'))
      await memory.addOutputItems([{ ...userMessage(text(turn, 'assistant')), role: 'assistant' }])
    }
  })
  return { text: 2 * TURNS * MESSAGE, stored }
}
