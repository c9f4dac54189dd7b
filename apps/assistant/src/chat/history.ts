import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Mask } from '../output/mask.ts'

const MAX_LINES = 500

/** The lines typed before, kept in a file that only its owner may read. */
export class History {
  readonly #path: string
  readonly #mask: Mask

  constructor(path: string, mask: Mask) {
    this.#path = path
    this.#mask = mask
  }

  /** The newest line first, as readline wants it. A missing file is an empty history. */
  async load(): Promise<string[]> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    const lines = text.split('\n').filter((line) => line !== '')
    const recent = lines.slice(-MAX_LINES)
    // Now and then the file is cut, so that it does not grow for ever.
    if (lines.length > 4 * MAX_LINES) {
      await writeFile(this.#path, `${recent.join('\n')}\n`, { mode: 0o600 })
    }
    return recent.reverse()
  }

  async add(line: string): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true })
    await appendFile(this.#path, `${this.#mask(line).replaceAll('\n', ' ')}\n`, { mode: 0o600 })
  }
}
