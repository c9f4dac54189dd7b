import { askUserTool } from './ask-user.ts'
import { calculateTool } from './calculate.ts'
import type { Folder } from './folder.ts'
import { listFilesTool } from './list-files.ts'
import { readFileTool } from './read-file.ts'
import { runCommandTool } from './run-command.ts'
import { searchFilesTool } from './search-files.ts'
import {
  addTodoTool,
  completeTodoTool,
  listTodosTool,
  removeTodoTool,
  type TodoListOf,
} from './todo-tools.ts'
import { writeFileTool } from './write-file.ts'

/** The tools that change the world outside of the session. */
export const RISKY_TOOLS: ReadonlySet<string> = new Set(['write_file', 'run_command'])

/** Everything that the assistant can do. `needsApproval`: whether a person is asked before what changes the world. */
export const createTools = (folder: Folder, todosOf: TodoListOf, needsApproval: boolean) => [
  listFilesTool(folder),
  readFileTool(folder),
  searchFilesTool(folder),
  writeFileTool(folder, needsApproval),
  runCommandTool(folder, needsApproval),
  askUserTool(),
  calculateTool(),
  addTodoTool(todosOf),
  listTodosTool(todosOf),
  completeTodoTool(todosOf),
  removeTodoTool(todosOf),
]
