import { calculateTool } from './calculate.ts'
import type { Folder } from './folder.ts'
import { listFilesTool } from './list-files.ts'
import { readFileTool } from './read-file.ts'
import { searchFilesTool } from './search-files.ts'
import {
  addTodoTool,
  completeTodoTool,
  listTodosTool,
  removeTodoTool,
  type TodoListOf,
} from './todo-tools.ts'

/** Everything that the assistant can do. */
export const createTools = (folder: Folder, todosOf: TodoListOf) => [
  listFilesTool(folder),
  readFileTool(folder),
  searchFilesTool(folder),
  calculateTool(),
  addTodoTool(todosOf),
  listTodosTool(todosOf),
  completeTodoTool(todosOf),
  removeTodoTool(todosOf),
]
