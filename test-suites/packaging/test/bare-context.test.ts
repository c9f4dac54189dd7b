import { join } from 'node:path'
import { createContext, Script } from 'node:vm'
import { build, type Metafile } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { published, requireBuild, root } from '../src/repository.ts'

/** What Node, Bun, Deno, browsers and edge runtimes share (WinterTC's minimum, in part). Nothing of Node. */
const shared = {
  AbortController,
  AbortSignal,
  atob,
  btoa,
  clearTimeout,
  console,
  crypto,
  DOMException,
  performance,
  queueMicrotask,
  setTimeout,
  structuredClone,
  TextDecoder,
  TextEncoder,
  URL,
}

const dist = join(root, 'packages/core/dist')

/** The built core in one script; a bundler that resolves nothing outside of its files refuses every import that leads away. */
async function bundle(
  extension: 'js' | 'cjs',
  contents: string,
): Promise<{ code: string; inputs: string[] }> {
  const result = await build({
    stdin: { contents: contents.replaceAll('EXT', extension), resolveDir: dist, loader: 'js' },
    bundle: true,
    format: 'iife',
    globalName: 'program',
    platform: 'neutral',
    target: 'es2022',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return {
    code: result.outputFiles[0]?.text ?? '',
    inputs: Object.keys((result.metafile as Metafile).inputs),
  }
}

const program = `
import { InMemoryAgentMemory, MemoryDriver, createAgent, createStorage, scriptedModel, tool } from './index.EXT'
import { aesGcm } from './encryption.EXT'

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  execute: ({ a, b }) => String(a + b),
})

async function ask(memory) {
  const agent = createAgent({
    model: 'scripted',
    modelClient: scriptedModel([
      { calls: [{ name: 'add', arguments: { a: 2, b: 3 } }] },
      { text: 'five' },
    ]),
    tools: [add],
  })
  const { text } = await agent.run('what is 2 + 3?', { memory })
  const items = await memory.getItems()
  return { text, types: items.map(({ type }) => type), output: items[2]?.output }
}

export async function main() {
  const driver = new MemoryDriver()
  const encryption = aesGcm(new Uint8Array(32))
  const durable = () => createStorage(driver, { encryption }).memory('session')
  const answers = [await ask(new InMemoryAgentMemory()), await ask(durable())]
  return JSON.stringify({ answers, resumed: (await durable().getItems()).length, globals: Object.keys(globalThis) })
}
`

describe('the built core where there is no Node', () => {
  it.each(['js', 'cjs'] as const)('an agent runs in a bare context (%s)', async (extension) => {
    for (const workspace of published()) {
      if (workspace.manifest.name === '@holdfast/core') requireBuild(workspace)
    }
    const { code } = await bundle(extension, program)
    const context = createContext({ ...shared })
    expect(
      new Script('typeof process + typeof Buffer + typeof require + typeof global').runInContext(
        context,
      ),
    ).toBe('undefined'.repeat(4))
    new Script(code).runInContext(context)
    const answer = JSON.parse((await new Script('program.main()').runInContext(context)) as string)
    const expected = {
      text: 'five',
      types: ['message', 'function_call', 'function_call_output', 'message'],
      output: '5',
    }
    expect(answer.answers).toEqual([expected, expected])
    expect(answer.resumed).toBe(4)
    // Nothing is left behind on the global object but the program itself.
    expect(answer.globals.filter((name: string) => !(name in shared))).toEqual(['program'])
  })

  it.each(['js', 'cjs'] as const)(
    'every file of it imports nothing but its own files (%s)',
    async (extension) => {
      const { inputs } = await bundle(
        extension,
        "export * as index from './index.EXT'\nexport * as encryption from './encryption.EXT'\nexport * as modelClient from './model-client.EXT'\n",
      )
      expect(inputs.length).toBeGreaterThan(2)
      expect(inputs.filter((path) => !/packages\/core\/dist\/|^<stdin>$/.test(path))).toEqual([])
    },
  )

  it('an import of Node would be refused', async () => {
    await expect(bundle('js', "import 'node:fs'\n")).rejects.toThrow(/node:fs/)
  })
})
