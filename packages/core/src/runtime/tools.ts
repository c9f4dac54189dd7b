import type { JsonValue } from '../contracts/item.ts'
import type { ToolDefinition } from '../contracts/model-client.ts'
import { knownOptions } from '../errors.ts'
import { ensure, isOptional } from './check.ts'
import { type ArgumentsOf, compileParameters, type ToolParameters } from './parameters.ts'

/** What a tool knows about the call it answers. */
export interface ToolContext {
  /** The id under which memory holds the call. */
  readonly callId: string
  /** The step of the run that made the call, from 0. */
  readonly step: number
  /** Aborts with the run: pass it on to `fetch` and the like. What is returned after it is dropped. */
  readonly signal: AbortSignal
  /** The session's id; `undefined` in a one-off run. */
  readonly sessionId: string | undefined
  /** What the caller of `run` gave as `context`. */
  readonly context: unknown
  /**
   * Asks somebody outside. The run ends as `interrupted` with `request` (made JSON by `toJson`) among its
   * interruptions; after `session.answer(callId, { reply })` and `run(null)`, `execute` starts from its top and
   * this call answers the reply. Until then it rejects, so that `finally` blocks run: do not go on after that.
   */
  ask(request: unknown): Promise<JsonValue>
}

/** What `tool` takes. */
export interface ToolOptions<P extends ToolParameters = ToolParameters, A = ArgumentsOf<P>> {
  /** 1 to 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly name: string
  /** What it does, for the model. */
  readonly description: string
  /**
   * A JSON Schema of an object; or a schema with Standard JSON Schema (zod 4.2 or later); or any
   * Standard Schema, with its JSON Schema as `jsonSchema`.
   */
  readonly parameters: P
  /** The JSON Schema shown to the model, where `parameters` cannot say it. */
  readonly jsonSchema?: object
  /** Checks or changes the arguments after `parameters` did; what it throws is shown to the model. */
  readonly validate?: (args: ArgumentsOf<P>) => A | Promise<A>
  /**
   * Whether a call needs somebody's approval before it runs: always, or as this answers for its arguments.
   * The run ends as `interrupted`; see `session.answer`. Default false.
   */
  readonly needsApproval?:
    | boolean
    | ((args: A, context: Omit<ToolContext, 'ask'>) => boolean | Promise<boolean>)
    | undefined
  /**
   * Runs the tool. A string is stored as it is, `undefined` as `''`, `content([...])` as parts,
   * anything else as JSON text. What it throws is shown to the model.
   */
  execute(args: A, context: ToolContext): unknown
}

/** A checked tool, as `tool()` makes it. */
export interface Tool extends ToolDefinition {
  /** The arguments to run with, out of the model's text; throws an error for the model to read. */
  parse(text: string): Promise<unknown>
  /** Whether the call waits for an approval before it runs. */
  needsApproval(args: unknown, context: ToolContext): boolean | Promise<boolean>
  /** Runs the tool; see `ToolOptions.execute`. */
  execute(args: unknown, context: ToolContext): unknown
}

/**
 * Checks a tool and makes its JSON Schema. `INVALID_ARGUMENT` names what is wrong.
 *
 * The type of `args` follows the schema; with plain JSON Schema annotate it, or let `validate` return it.
 */
export function tool<const P extends ToolParameters, A = ArgumentsOf<P>>(
  options: ToolOptions<P, A>,
): Tool {
  knownOptions(options, [
    'name',
    'description',
    'parameters',
    'jsonSchema',
    'validate',
    'needsApproval',
    'execute',
  ])
  const { name, description, parameters, jsonSchema, validate, execute } = options
  const { needsApproval = false } = options
  const named = typeof name === 'string' && /^[\w-]{1,64}$/.test(name)
  ensure(named, 'The name of a tool', '1 to 64 of A-Z a-z 0-9 _ -', name)
  const of = ` of tool "${name}"`
  ensure(typeof description === 'string', `description${of}`, 'a string', description)
  ensure(typeof execute === 'function', `execute${of}`, 'a function', execute)
  ensure(isOptional(validate, 'function'), `validate${of}`, 'a function', validate)
  const asks = typeof needsApproval === 'boolean' || typeof needsApproval === 'function'
  ensure(asks, `needsApproval${of}`, 'true, false or a function', needsApproval)
  const { schema, parse } = compileParameters(`Tool "${name}"`, parameters, jsonSchema)
  return Object.freeze({
    name,
    description,
    parameters: schema,
    async parse(text: string) {
      const args = (await parse(text)) as ArgumentsOf<P>
      return validate ? validate(args) : args
    },
    needsApproval: (args: unknown, context: ToolContext) =>
      typeof needsApproval === 'function' ? needsApproval(args as A, context) : needsApproval,
    execute: (args: unknown, context: ToolContext) => options.execute(args as A, context),
  })
}
