import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

export interface Block {
  /** Relative to the root, with forward slashes. */
  readonly file: string
  /** Of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  /** Words behind the language: `run`, `continue`. */
  readonly marks: readonly string[]
  readonly code: string
}

export interface Page {
  /** Relative to the root, with forward slashes. */
  readonly file: string
  readonly text: string
  readonly blocks: readonly Block[]
  readonly headings: readonly string[]
  /** Anchors that links can name, made as GitHub makes them. */
  readonly anchors: ReadonlySet<string>
  readonly links: readonly { readonly target: string; readonly line: number }[]
}

/** Every page that people read: the root's, docs, and the README of each workspace. */
export function pages(): Page[] {
  const here = (folder: string) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name))
  const readmes = ['packages', 'apps', 'examples', 'test-suites'].flatMap((parent) =>
    readdirSync(join(root, parent))
      .map((name) => join(parent, name, 'README.md'))
      .filter((file) => exists(join(root, file))),
  )
  const single = ['benchmarks/README.md'].filter((file) => exists(join(root, file)))
  return [
    ...['.', 'docs', 'docs/guides', 'docs/backends'].flatMap(here),
    ...readmes,
    ...single,
  ].map((file) => parse(file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')))
}

export function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

export function parse(file: string, text: string): Page {
  const blocks: Block[] = []
  const headings: string[] = []
  const links: { target: string; line: number }[] = []
  let open:
    | { fence: string; line: number; info: string; indent: number; lines: string[] }
    | undefined
  text.split('\n').forEach((raw, index) => {
    const fence = /^(\s*)(```+|~~~+)\s*(.*)$/.exec(raw)
    if (open) {
      if (fence?.[2]?.startsWith(open.fence) && fence[3] === '') {
        const [language = '', ...marks] = open.info.split(/\s+/)
        blocks.push({ file, line: open.line, language, marks, code: `${open.lines.join('\n')}\n` })
        open = undefined
      } else open.lines.push(raw.slice(Math.min(open.indent, raw.search(/\S|$/))))
      return
    }
    if (fence) {
      const [, indent = '', mark = '', info = ''] = fence
      open = { fence: mark, line: index + 1, info: info.trim(), indent: indent.length, lines: [] }
      return
    }
    const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(raw)?.[1]
    if (heading) headings.push(heading)
    const prose = raw.replaceAll(/`[^`]*`/g, (code) => ' '.repeat(code.length))
    for (const match of raw.matchAll(/\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)) {
      // A link inside code is an example; one whose text is code is a link.
      if (prose.slice(match.index + match[0].indexOf('](')).startsWith('](')) {
        links.push({ target: match[1] ?? '', line: index + 1 })
      }
    }
  })
  if (open) throw new Error(`${file}:${open.line}: the code block is never closed`)
  return { file, text, blocks, headings, anchors: anchorsOf(headings), links }
}

/** GitHub's rule: lower case, letters, digits, `-` and `_` stay, blanks become `-`, repeats are numbered. */
function anchorsOf(headings: readonly string[]): Set<string> {
  const seen = new Map<string, number>()
  const anchors = new Set<string>()
  for (const heading of headings) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    anchors.add(times === 0 ? slug : `${slug}-${times}`)
  }
  return anchors
}

export const inRepository = (path: string): string => relative(root, path).replaceAll('\\', '/')
