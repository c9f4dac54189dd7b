import type { AgentItem, MemorySnapshot } from '@holdfast/core'
import { toolOutput, user } from './expect.ts'

/** How a call must end: with this answer, or with this code and outcome. */
export type Ending =
  | { readonly answer: unknown }
  | { readonly code: string; readonly outcome?: string }

export interface ModelState {
  items: AgentItem[]
  summary: string | undefined
  /** Something is stored. */
  lives: boolean
  /** Something was ever stored. */
  touched: boolean
}

/** A compressor as the model knows it: what it answers, or that it fails. */
export type Compress = ((snapshot: MemorySnapshot) => MemorySnapshot) | 'fails'

const DONE: Ending = { answer: undefined }

/** What the memory of one id must do, in plain assignments: no store, no queue, no copies. */
export class MemoryModel {
  readonly state: ModelState = { items: [], summary: undefined, lives: false, touched: false }

  #install(items: readonly AgentItem[], summary: string | undefined): void {
    Object.assign(this.state, { items: [...items], summary, lives: true, touched: true })
  }

  /** Adds `items` on a handle that has `compress` set. */
  add(items: readonly AgentItem[], compress: Compress | undefined): Ending {
    if (items.length === 0) return DONE
    this.#install([...this.state.items, ...items], this.state.summary)
    if (compress === 'fails') return { code: 'COMPRESSION_FAILED', outcome: 'committed' }
    if (compress) this.#compress(compress)
    return DONE
  }

  #compress(compress: (snapshot: MemorySnapshot) => MemorySnapshot): void {
    const { items, summary } = compress({ items: this.state.items, summary: this.state.summary })
    Object.assign(this.state, { items: [...items], summary })
  }

  addInput = (text: string, compress: Compress | undefined) => this.add([user(text)], compress)

  addToolOutput = (id: string | null, text: string, compress: Compress | undefined) =>
    this.add(id === null ? [] : [toolOutput(id, text)], compress)

  shown(): AgentItem[] {
    const { items, summary } = this.state
    const blank = summary === undefined || summary.trim() === ''
    return blank
      ? [...items]
      : [
          { type: 'message', role: 'system', content: [{ type: 'input_text', text: summary }] },
          ...items,
        ]
  }

  clear(): Ending {
    this.state.items = []
    this.state.summary = undefined
    return DONE
  }

  restore({ items, summary }: MemorySnapshot): Ending {
    this.#install(items, summary)
    return DONE
  }

  update(change: (current: MemorySnapshot) => MemorySnapshot): Ending {
    const { items, summary } = change({ items: this.state.items, summary: this.state.summary })
    this.#install(items, summary)
    return { answer: { items: [...items], summary } }
  }

  setSummary(summary: string | undefined): Ending {
    this.#install(this.state.items, summary)
    return DONE
  }

  /** An eager swap. */
  rewrite(compress: Compress | undefined): Ending {
    if (compress === 'fails') return { code: 'COMPRESSION_FAILED', outcome: 'not-committed' }
    if (compress && this.state.lives) this.#compress(compress)
    return DONE
  }

  adopt(snapshot: MemorySnapshot): Ending {
    if (this.state.touched) return { answer: false }
    this.restore(snapshot)
    return { answer: true }
  }

  delete(): Ending {
    const { lives } = this.state
    Object.assign(this.state, { items: [], summary: undefined, lives: false })
    return { answer: lives }
  }
}
