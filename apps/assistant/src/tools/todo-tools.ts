import { tool } from '@holdfast/core'
import { z } from 'zod'
import type { Todo, TodoList } from './todo-list.ts'

/** The to-do list of a session; `undefined` stands for a run without one. */
export type TodoListOf = (sessionId: string | undefined) => TodoList

const name = (todo: Todo): string => `#${todo.id} ${todo.text}`

export const addTodoTool = (listOf: TodoListOf) =>
  tool({
    name: 'add_todo',
    description:
      'Adds one to-do to the list. One that is already there and open is not added again.',
    parameters: z.object({ text: z.string().min(1).describe('What is to be done') }),
    execute: async ({ text }, { sessionId }) => {
      const { todo, unchanged } = await listOf(sessionId).add(text)
      return unchanged ? `Already on the list: ${name(todo)}` : `Added ${name(todo)}`
    },
  })

export const listTodosTool = (listOf: TodoListOf) =>
  tool({
    name: 'list_todos',
    description: 'Shows the to-do list: number, [x] for done or [ ] for open, text.',
    parameters: z.object({}),
    execute: async (_, { sessionId }) => {
      const todos = await listOf(sessionId).all()
      return (
        todos
          .map(({ id, text, state }) => `#${id} [${state === 'done' ? 'x' : ' '}] ${text}`)
          .join('\n') || '[the list is empty]'
      )
    },
  })

const which = z.string().min(1).describe('The number of the to-do, or its exact text')

export const completeTodoTool = (listOf: TodoListOf) =>
  tool({
    name: 'complete_todo',
    description: 'Marks one to-do as done.',
    parameters: z.object({ todo: which }),
    execute: async ({ todo: wanted }, { sessionId }) => {
      const { todo, unchanged } = await listOf(sessionId).set(wanted, 'done')
      return unchanged ? `Already done: ${name(todo)}` : `Done: ${name(todo)}`
    },
  })

export const removeTodoTool = (listOf: TodoListOf) =>
  tool({
    name: 'remove_todo',
    description: 'Takes one to-do off the list.',
    parameters: z.object({ todo: which }),
    execute: async ({ todo: wanted }, { sessionId }) => {
      const { todo, unchanged } = await listOf(sessionId).set(wanted, 'removed')
      return unchanged ? `Already removed: ${name(todo)}` : `Removed ${name(todo)}`
    },
  })
