import { createStorage, MemoryDriver, systemMessage } from '@holdfast/core'
import { expect, it } from 'vitest'
import { rejection } from '../runtime/support.ts'

it('a swap that fails holds up no compression: the add behind it is compressed in its one commit', async () => {
  const fold = {
    compress: ({ summary = '', items }: { summary?: string; items: readonly object[] }) => ({
      items: [],
      summary: `${summary}${items.length}|`,
    }),
  }
  const memory = createStorage(new MemoryDriver()).memory('a', { compressor: fold as never })
  const failing = {
    compress: () => {
      throw new Error('out of order')
    },
  }
  const swap = rejection(memory.setCompressor(failing), 'COMPRESSION_FAILED')
  const add = memory.addUserInput('x')
  const set = memory.setSummary('mine')
  await Promise.all([swap, add, set])
  expect(await memory.getItems()).toEqual([systemMessage('mine')])
})
