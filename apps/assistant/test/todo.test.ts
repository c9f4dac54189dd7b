import { createStorage, MemoryDriver } from '@holdfast/core'
import { expect, test } from 'vitest'
import { TodoList } from '../src/tools/todo-list.ts'
import {
  addTodoTool,
  completeTodoTool,
  listTodosTool,
  removeTodoTool,
} from '../src/tools/todo-tools.ts'
import { runTool } from './run-tool.ts'

function open(driver = new MemoryDriver()) {
  const todos = createStorage(driver).scope('todo')
  const listOf = (id: string | undefined) => new TodoList(todos.memory(id ?? ''))
  return {
    add: (text: string) => runTool(addTodoTool(listOf), { text }),
    list: () => runTool(listTodosTool(listOf), {}),
    done: (todo: string) => runTool(completeTodoTool(listOf), { todo }),
    remove: (todo: string) => runTool(removeTodoTool(listOf), { todo }),
  }
}

test('to-dos are added, done and removed by number or text, and numbers are not reused', async () => {
  const { add, list, done, remove } = open()
  expect(await list()).toBe('[the list is empty]')
  expect(await add('buy milk')).toBe('Added #1 buy milk')
  expect(await add('  call\nAnn ')).toBe('Added #2 call Ann')
  expect(await done('1')).toBe('Done: #1 buy milk')
  expect(await remove('Call Ann')).toBe('Removed #2 call Ann')
  expect(await add('sleep')).toBe('Added #3 sleep')
  expect(await list()).toBe('#1 [x] buy milk\n#3 [ ] sleep')
})

test('each change made twice counts once: a call that was interrupted can be made again', async () => {
  const { add, list, done, remove } = open()
  await add('a')
  expect(await add('A')).toBe('Already on the list: #1 a')
  await done('#1')
  expect(await done('1')).toBe('Already done: #1 a')
  expect(await list()).toBe('#1 [x] a')
  await remove('1')
  expect(await remove('1')).toBe('Already removed: #1 a')
  expect(await list()).toBe('[the list is empty]')
  await expect(done('1')).rejects.toThrow('There is no to-do "1"')
  await expect(remove('9')).rejects.toThrow('There is no to-do "9"')
  await expect(done('99999999999999999999')).rejects.toThrow('There is no to-do')
})

test('changes at once from two processes are all kept', async () => {
  const driver = new MemoryDriver()
  const [one, two] = [open(driver), open(driver)]
  await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).add(`number ${n}`)))
  const lines = (await one.list()).split('\n')
  expect(lines).toHaveLength(20)
  expect(new Set(lines.map((line) => line.split(' ')[0])).size).toBe(20)
  expect(await two.list()).toBe(lines.join('\n'))
})

test('the list is bounded', async () => {
  const { add } = open()
  for (let n = 0; n < 200; n++) await add(`number ${n}`)
  await expect(add('one more')).rejects.toThrow('200 open to-dos')
  await expect(add(' \n ')).rejects.toThrow('empty')
})
