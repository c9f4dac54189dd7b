import type { JsonSchema } from '../contracts/model-client.ts'
import { invalid } from '../errors.ts'
import { isRecord } from '../json.ts'
import { messageOf } from './message-of.ts'

type Result<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * The part of Standard Schema and Standard JSON Schema (standardschema.dev) that tools use; zod 4.2 and
 * later, ArkType and Valibot schemas are such values.
 */
export interface StandardParameters<Output = unknown> {
  /** The schema’s own door, as the standard lays it down. */
  readonly '~standard': {
    readonly version: 1
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly validate?: (value: unknown) => Result<Output> | Promise<Result<Output>>
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>
    }
  }
}

/** What `tool({ parameters })` takes. */
export type ToolParameters = JsonSchema | StandardParameters

/** The arguments that `parameters` describe: the schema's output type, or any object for plain JSON Schema. */
export type ArgumentsOf<P> = P extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined }
}
  ? Output
  : Record<string, unknown>

/** Parameters in the two forms that the loop needs. */
export interface CompiledParameters {
  /** What the model is shown. */
  readonly schema: JsonSchema
  /** The arguments to run with; throws an error for the model to read. */
  parse(text: string): Promise<unknown>
}

/** Turns `parameters` (and a `jsonSchema` beside it) into a JSON Schema and a parser, or throws `INVALID_ARGUMENT`. */
export function compileParameters(
  what: string,
  parameters: unknown,
  beside?: unknown,
  said = 'the arguments are',
): CompiledParameters {
  // Through `Object`, for any value; and ArkType's schemas are functions.
  const standard = (Object(parameters) as Partial<StandardParameters>)['~standard']
  return {
    schema: schemaOf(what, standard, standard ? beside : parameters),
    async parse(text) {
      const args = parseObject(text, said)
      return standard?.validate ? verdict(await standard.validate(args), said) : args
    },
  }
}

function schemaOf(
  what: string,
  standard: StandardParameters['~standard'] | undefined,
  given: unknown,
): JsonSchema {
  let why = ''
  try {
    const source = given ?? standard?.jsonSchema?.input({ target: 'draft-2020-12' })
    // Through JSON, because schema builders leave symbols and functions on what is a JSON Schema otherwise.
    const schema = isRecord(source) && JSON.parse(JSON.stringify(source))
    // A union of objects is an object schema that does not say so; only a schema library may leave it out.
    if (schema && standard) schema.type ??= 'object'
    if (schema?.type === 'object') return schema
  } catch (error) {
    why = ` (${messageOf(error)})`
  }
  throw invalid(
    `${what} has no JSON Schema of type "object"${why}; pass one as parameters, or a z.object() of zod 4.2 or later, or any Standard Schema with one beside it as jsonSchema.`,
  )
}

function parseObject(text: string, said: string): Record<string, unknown> {
  let args: unknown
  try {
    // Some endpoints send nothing where a function takes no arguments.
    args = JSON.parse(text.trim() || '{}')
  } catch (error) {
    throw new TypeError(`${said} not JSON: ${messageOf(error)}`)
  }
  if (!isRecord(args)) throw new TypeError(`${said} not a JSON object.`)
  return args
}

function verdict(result: Result<unknown>, said: string): unknown {
  if (!result.issues) return result.value
  const issues = result.issues.map(({ message, path = [] }) => {
    const at = path.map((key) => String(isRecord(key) ? key['key'] : key)).join('.')
    return at ? `${at}: ${message}` : message
  })
  throw new TypeError(`${said} wrong: ${issues.join('; ')}`)
}
