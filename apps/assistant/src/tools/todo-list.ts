import type { AgentItem, MemorySnapshot, SnapshotCapable } from '@holdfast/core'
import { oneLine } from '../output/cut.ts'

export interface Todo {
  /** Counts from 1; never reused, so that a number keeps its meaning after a removal. */
  readonly id: number
  readonly text: string
  readonly state: 'open' | 'done' | 'removed'
}

/** What a change found. `unchanged`: it was so before. */
export type TodoChange = { readonly todo: Todo; readonly unchanged: boolean }

const MAX_OPEN = 200
const MAX_TEXT = 500

/**
 * A to-do list that is kept in a memory of its own, so that no window or summary of the conversation
 * can cut it. Each change is one atomic `update`, and each says what shall be so rather than what to
 * do: applied twice (a call that was interrupted and is made again) it changes nothing the second time.
 */
export class TodoList {
  readonly #memory: SnapshotCapable

  constructor(memory: SnapshotCapable) {
    this.#memory = memory
  }

  async all(): Promise<Todo[]> {
    return visible(await this.#memory.snapshot())
  }

  /** Adds `text`, unless it is already there and open. */
  async add(text: string): Promise<TodoChange> {
    const wanted = oneLine(text, MAX_TEXT)
    if (wanted === '') throw new Error('The to-do is empty.')
    return this.#change((todos) => {
      const same = todos.find((todo) => todo.state === 'open' && sameText(todo.text, wanted))
      if (same) return same
      if (todos.filter((todo) => todo.state === 'open').length >= MAX_OPEN) {
        throw new Error(`The list has ${MAX_OPEN} open to-dos; mark some done first.`)
      }
      return { id: todos.length + 1, text: wanted, state: 'open' }
    })
  }

  /** Sets the state of one to-do, named by its number or its text. */
  async set(which: string, state: Todo['state']): Promise<TodoChange> {
    return this.#change((todos) => ({ ...findTodo(todos, which, state), state }))
  }

  async #change(wanted: (todos: readonly Todo[]) => Todo): Promise<TodoChange> {
    let result: TodoChange | undefined
    await this.#memory.update((snapshot) => {
      const todos = todosOf(snapshot)
      const todo = wanted(todos)
      const current = todos[todo.id - 1]
      const unchanged = current !== undefined && current.state === todo.state
      result = { todo, unchanged }
      if (unchanged) return snapshot
      const items = [...snapshot.items]
      items[todo.id - 1] = { type: 'todo', ...todo }
      return { ...snapshot, items }
    })
    if (!result) throw new Error('The to-do list was not reached.')
    return result
  }
}

const sameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const visible = (snapshot: MemorySnapshot): Todo[] =>
  todosOf(snapshot).filter((todo) => todo.state !== 'removed')

function findTodo(todos: readonly Todo[], which: string, wanted: Todo['state']): Todo {
  const name = which.trim().replace(/^#/, '')
  const named = todos.filter((todo) =>
    /^\d+$/.test(name) ? todo.id === Number(name) : sameText(todo.text, name),
  )
  // One that was removed is found only by who wants it removed: it must not come back.
  const found =
    named.find((todo) => todo.state === 'open') ??
    named.findLast((todo) => todo.state !== 'removed' || wanted === 'removed')
  if (!found) throw new Error(`There is no to-do ${JSON.stringify(oneLine(name, 80))}.`)
  return found
}

function todosOf(snapshot: MemorySnapshot): Todo[] {
  return snapshot.items.map((item: AgentItem, index) => {
    const { text, state } = item
    return {
      id: index + 1,
      text: typeof text === 'string' ? text : '',
      state: state === 'done' || state === 'removed' ? state : 'open',
    }
  })
}
