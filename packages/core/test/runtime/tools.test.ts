import {
  content,
  createAgent,
  type StandardParameters,
  scriptedModel,
  type Tool,
  type ToolOptions,
  tool,
} from '@holdfast/core'
import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { ANY_OBJECT, thrown } from './support.ts'

const base = { name: 't', description: 'Does it.', parameters: ANY_OBJECT, execute: () => 'x' }

/** What the model sees of a call with these arguments. */
async function answerTo(made: Tool, args: string): Promise<unknown> {
  const modelClient = scriptedModel([{ calls: [{ name: made.name, arguments: args }] }, 'x'])
  await createAgent({ modelClient, model: 'm', tools: [made] }).run('1')
  return modelClient.prompts[1]?.items.at(-1)?.['output']
}

/** A Standard Schema of another library. */
const standard = (
  props: Partial<StandardParameters<{ n: number }>['~standard']>,
): StandardParameters<{ n: number }> => ({ '~standard': { version: 1, ...props } })

describe('plain JSON Schema', () => {
  it('is shown to the model as it is, and parses an object', async () => {
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    } as const
    const weather = tool({
      ...base,
      parameters,
      execute(args: { city: string }) {
        return `sunny in ${args.city}`
      },
    })
    expect(weather.parameters).toEqual(parameters)
    expect(weather.parameters).not.toBe(parameters)
    expect(await answerTo(weather, '{"city":"Oslo"}')).toBe('sunny in Oslo')
  })

  it('takes blank arguments for none', async () => {
    const count = tool({ ...base, execute: (args) => Object.keys(args).length })
    expect(await answerTo(count, ' ')).toBe('0')
  })

  it.each(['{', 'null', '5', '"x"', '[{}]', 'undefined'])(
    'shows the model that %s is no object',
    async (args) => {
      expect(await answerTo(tool(base), args)).toMatch(/^Error: the arguments/)
    },
  )

  it('keeps __proto__ in arguments plain data', async () => {
    const look = tool({ ...base, execute: (args) => [Object.keys(args), args['admin'] ?? null] })
    expect(await answerTo(look, '{"__proto__":{"admin":true}}')).toBe('[["__proto__"],null]')
  })

  it('has more checked, or changed, by validate', async () => {
    const made = tool({
      ...base,
      async validate(args) {
        if (typeof args['n'] !== 'number') throw new Error('n must be a number')
        return { n: args['n'] + 1 }
      },
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<{ n: number }>()
        return args.n
      },
    })
    expect(await answerTo(made, '{"n":1}')).toBe('2')
    expect(await answerTo(made, '{}')).toBe('Error: n must be a number')
  })

  it('may carry what schema builders leave on it', () => {
    const parameters = { type: 'object', [Symbol('kind')]: 'Object', check: () => true }
    expect(tool({ ...base, parameters: parameters as never }).parameters).toEqual(ANY_OBJECT)
  })

  it('belongs to the tool: changing it later changes nothing', () => {
    const parameters: { type: string } = { type: 'object' }
    const made = tool({ ...base, parameters })
    parameters.type = 'string'
    expect(made.parameters).toEqual(ANY_OBJECT)
    expect(Object.isFrozen(made)).toBe(true)
  })
})

describe('a zod schema', () => {
  const schema = z.object({
    city: z.string().min(2),
    days: z.coerce.number().default(3),
    tag: z.array(z.object({ id: z.number() })).optional(),
  })
  const weather = tool({
    ...base,
    parameters: schema,
    execute(args, context) {
      expectTypeOf(args).toEqualTypeOf<{
        city: string
        days: number
        tag?: { id: number }[] | undefined
      }>()
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>()
      return args
    },
  })

  it('becomes the JSON Schema of its input', () => {
    expect(weather.parameters).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string', minLength: 2 } },
      required: ['city'],
    })
  })

  it('validates, and hands on what it made of the arguments', async () => {
    expect(await answerTo(weather, '{"city":"Oslo","days":"5","more":1}')).toBe(
      '{"city":"Oslo","days":5}',
    )
    expect(await answerTo(weather, '{"city":"Oslo"}')).toBe('{"city":"Oslo","days":3}')
  })

  it('tells the model each issue with its path', async () => {
    const shown = await answerTo(weather, '{"city":"O","tag":[{"id":"x"}]}')
    expect(shown).toMatch(/^Error: the arguments are wrong: .*city: .+; .*tag\.0\.id: /)
  })

  it('may check asynchronously', async () => {
    const parameters = z.object({ n: z.number().refine(async (n) => n > 1, 'too small') })
    const made = tool({ ...base, parameters, execute: ({ n }) => n })
    expect(await answerTo(made, '{"n":2}')).toBe('2')
    expect(await answerTo(made, '{"n":1}')).toMatch(/n: too small/)
  })

  it('may be a union of objects', () => {
    const parameters = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
    const made = tool({ ...base, parameters })
    expect(made.parameters).toMatchObject({ type: 'object', anyOf: [{}, {}] })
  })

  it('is refused where it describes no object, or cannot be shown', () => {
    for (const parameters of [z.string(), z.array(z.string()), z.object({ at: z.date() })]) {
      thrown(() => tool({ ...base, parameters }), 'INVALID_ARGUMENT')
    }
    const error = thrown(
      () => tool({ ...base, parameters: z.object({ at: z.date() }) }),
      'INVALID_ARGUMENT',
    )
    expect(error.message).toContain('jsonSchema')
  })
})

describe('another Standard Schema', () => {
  const validate = (value: unknown) =>
    typeof (value as { n?: unknown }).n === 'number'
      ? { value: { n: (value as { n: number }).n * 2 } }
      : { issues: [{ message: 'whole' }, { message: 'n', path: ['a', { key: 0 }] }] }

  it('needs a jsonSchema beside it', async () => {
    const parameters = standard({ validate })
    const error = thrown(() => tool({ ...base, parameters }), 'INVALID_ARGUMENT')
    expect(error.message).toContain('jsonSchema')
    const made = tool({ ...base, parameters, jsonSchema: ANY_OBJECT, execute: ({ n }) => n })
    expect(made.parameters).toEqual(ANY_OBJECT)
    expect(await answerTo(made, '{"n":2}')).toBe('4')
    expect(await answerTo(made, '{}')).toBe('Error: the arguments are wrong: whole; a.0: n')
  })

  it('is shown by a jsonSchema beside it even where it has its own', () => {
    const beside = { type: 'object', title: 'beside' }
    const made = tool({ ...base, parameters: z.object({}), jsonSchema: beside })
    expect(made.parameters).toEqual(beside)
  })

  it('is asked for the draft that models read, and may leave validation out', async () => {
    const asked: unknown[] = []
    const parameters = standard({
      jsonSchema: {
        input: (options) => {
          asked.push(options)
          return { type: 'object' }
        },
      },
    })
    const made = tool({ ...base, parameters, execute: (args) => args })
    expect(asked).toEqual([{ target: 'draft-2020-12' }])
    expect(await answerTo(made, '{"any":1}')).toBe('{"any":1}')
  })

  it('may be a function, and is followed by validate', async () => {
    const parameters = Object.assign(() => {}, standard({ validate }))
    const made = tool({
      ...base,
      parameters,
      jsonSchema: ANY_OBJECT,
      validate: ({ n }) => ({ text: `n is ${n}` }),
      execute: ({ text }) => text,
    })
    expect(await answerTo(made, '{"n":2}')).toBe('n is 4')
  })
})

describe('tool() refuses', () => {
  const cyclic: Record<string, unknown> = { type: 'object' }
  cyclic['self'] = cyclic
  it.each([
    ['no name', { name: undefined }],
    ['an empty name', { name: '' }],
    ['a name with a blank', { name: 'a b' }],
    ['a name with a line end', { name: 'a\n' }],
    ['a name with an accent', { name: 'é' }],
    ['a name of 65 characters', { name: 'x'.repeat(65) }],
    ['no description', { description: undefined }],
    ['no execute', { execute: 'x' }],
    ['a validate that is none', { validate: {} }],
    ['a validate that is null', { validate: null }],
    ['no parameters', { parameters: undefined }],
    ['parameters that are null', { parameters: null }],
    ['parameters that are text', { parameters: 'x' }],
    ['parameters that are a function', { parameters: () => 1 }],
    ['an empty schema', { parameters: {} }],
    ['a schema of something else', { parameters: { type: 'array' } }],
    ['a schema of more than an object', { parameters: { type: ['object', 'null'] } }],
    ['a cyclic schema', { parameters: cyclic }],
    ['a ~standard that is none', { parameters: { '~standard': 1 } }],
    ['a jsonSchema that is none', { parameters: z.object({}), jsonSchema: 'x' }],
  ])('%s', (_, wrong) => {
    thrown(() => tool({ ...base, ...wrong } as ToolOptions), 'INVALID_ARGUMENT')
  })

  it('options that are none', () => {
    thrown(() => tool(undefined as never), 'INVALID_ARGUMENT')
  })
})

it('accepts every allowed character in a name', () => {
  expect(tool({ ...base, name: `aZ09_-${'x'.repeat(58)}` }).name).toHaveLength(64)
})

describe('content()', () => {
  it('takes a copy of its parts', async () => {
    const part = { type: 'input_text', text: 'a' }
    const made = content([part])
    part.text = 'b'
    expect(await answerTo(tool({ ...base, execute: () => made }), '{}')).toEqual([
      { type: 'input_text', text: 'a' },
    ])
  })

  it('may be empty', async () => {
    expect(await answerTo(tool({ ...base, execute: () => content([]) }), '{}')).toEqual([])
  })

  it('refuses what is no list of parts', () => {
    thrown(() => content('x' as never), 'INVALID_ARGUMENT')
    thrown(() => content(['x' as never]), 'INVALID_ARGUMENT')
    thrown(() => content([{ data: new Uint8Array(1) }]), 'NOT_SERIALIZABLE')
  })
})
