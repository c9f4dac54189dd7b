import { posix } from 'node:path'
import type { Block } from './markdown.ts'

/** A code block made into a module that can be type-checked and run. */
export interface Program {
  /** File name, unique among all programs. */
  readonly name: string
  /** Where to look when it fails. */
  readonly origin: string
  readonly code: string
  readonly run: boolean
  /** The lines that `// prints: …` comments promise, in order; `// prints:` alone is an empty one. */
  readonly prints: readonly string[]
}

const languages = new Set(['ts', 'js', 'typescript', 'javascript'])

/** Modules of the ts and js blocks of a page, in order. One marked `continue` goes on where the one before it ended. */
export function programs(blocks: readonly Block[]): Program[] {
  const made: Program[] = []
  let before = ''
  for (const block of blocks.filter(({ language }) => languages.has(language))) {
    const strange = block.marks.filter((mark) => mark !== 'run' && mark !== 'continue')
    const origin = `${block.file}:${block.line}`
    if (strange.length > 0) throw new Error(`${origin}: unknown mark ${strange.join(' ')}`)
    const code = relativeToPage(block)
    if (/\/\/ prints:/.test(code) && !block.marks.includes('run')) {
      throw new Error(`${origin}: says what it prints and is not run: mark it \`run\``)
    }
    before = block.marks.includes('continue') ? `${before}\n${code}` : code
    made.push({
      name: `${block.file.replaceAll(/\W+/g, '-')}-${block.line}.${block.language.startsWith('t') ? 'ts' : 'mjs'}`,
      origin,
      code: `${before}\nexport {}\n`,
      run: block.marks.includes('run'),
      prints: [...before.matchAll(/\/\/ prints:(?: (.*))?$/gm)].map(([, text = '']) =>
        text.trimEnd(),
      ),
    })
  }
  return made
}

/** Relative imports of a block start at its page; its module lies in a folder of docs/.blocks. */
function relativeToPage({ file, code }: Block): string {
  const folder = posix.dirname(file)
  return code.replaceAll(
    /(\bfrom\s+|\bimport\s+|\bimport\()(['"])(\.{1,2}\/[^'"]+)\2/g,
    (_, before: string, quote: string, path: string) =>
      `${before}${quote}../../../${posix.join(folder, path)}${quote}`,
  )
}
