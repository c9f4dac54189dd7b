import type { FileHandle } from 'node:fs/promises'

/** Most bytes that are ever read from one file. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024

export interface ReadText {
  /** `undefined` for a binary file. */
  readonly text: string | undefined
  /** Size of the file in bytes; 0 where it does not know its own. */
  readonly size: number
  /** The file is longer than what was read. */
  readonly cut: boolean
}

/** Reads at most the first 2 MiB as UTF-8 and closes the file. A file with a zero byte is binary. */
export async function readText(handle: FileHandle): Promise<ReadText> {
  try {
    const { size } = await handle.stat()
    // A file may grow while it is read, so its size is a hint only.
    const buffer = Buffer.allocUnsafe(Math.min(size + 1, MAX_FILE_BYTES + 1))
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    const bytes = buffer.subarray(0, Math.min(length, MAX_FILE_BYTES))
    const cut = length > MAX_FILE_BYTES
    if (bytes.includes(0)) return { text: undefined, size, cut }
    // `stream` leaves out a character whose bytes were cut in the middle.
    return { text: new TextDecoder().decode(bytes, { stream: cut }), size, cut }
  } finally {
    await handle.close()
  }
}
