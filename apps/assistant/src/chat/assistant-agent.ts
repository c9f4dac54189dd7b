import {
  type Agent,
  createAgent,
  type Storage,
  type StorageScope,
  TypeAwareContextProjector,
} from '@holdfast/core'
import type { ChosenModel } from '../model/choose-model.ts'
import { type Mask, maskJson } from '../output/mask.ts'
import type { Folder } from '../tools/folder.ts'
import { TodoList } from '../tools/todo-list.ts'
import { createTools } from '../tools/tools.ts'
import { budgetFor, compactPolicyFor } from './compaction.ts'

const INSTRUCTIONS =
  'You are a helpful assistant in a terminal. Use the tools to look into and change the files of the folder, to run commands, to calculate and to keep the to-do list; do not guess what they can tell. Answer briefly, in plain text. What the user rejected stays undone: do not try it in another way. If a tool was aborted or its effect is unknown, look before you repeat it.'

/** More than any answer needs, and few enough that a model going round in circles is stopped. */
const MAX_STEPS = 25

export interface AssistantOptions {
  readonly storage: Storage
  readonly folder: Folder
  readonly model: ChosenModel
  /** Takes secrets out of what is stored. */
  readonly mask: Mask
  /** How many tokens a prompt may take. */
  readonly contextTokens: number
  /** Let risky tools run without asking. */
  readonly approved: boolean
}

/** A scope of its own: no session id can collide with a list, and no list shows up as a session. */
export const todoScope = (storage: Storage): StorageScope => storage.scope('todo')

/** The agent behind the chat: memories, sessions and to-do lists lie in one storage. */
export function assistantAgent(options: AssistantOptions): Agent {
  const { storage, folder, model, mask, contextTokens, approved } = options
  const todos = todoScope(storage)
  const todosOf = (id: string | undefined) => {
    if (id === undefined) throw new Error('There is no to-do list outside a session.')
    return new TodoList(todos.memory(id))
  }
  return createAgent({
    modelClient: model.client,
    model: model.name,
    instructions: INSTRUCTIONS,
    tools: createTools(folder, todosOf, !approved),
    memorySupplier: (id) => storage.memory(id),
    sessionStore: storage.sessions(),
    redact: (value) => maskJson(value, mask),
    compactPolicy: compactPolicyFor(contextTokens),
    projector: new TypeAwareContextProjector(),
    budget: budgetFor(contextTokens),
    maxSteps: MAX_STEPS,
  })
}
