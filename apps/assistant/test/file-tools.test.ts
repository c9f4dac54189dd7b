import { describe, expect, test } from 'vitest'
import { cut, oneLine } from '../src/output/cut.ts'
import { Folder } from '../src/tools/folder.ts'
import { listFilesTool } from '../src/tools/list-files.ts'
import { readFileTool } from '../src/tools/read-file.ts'
import { searchFilesTool } from '../src/tools/search-files.ts'
import { runTool } from './run-tool.ts'
import { temporaryFolder } from './temporary.ts'

/** Without half a surrogate pair. */
const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text)

const open = (files: Record<string, string | Uint8Array>) => Folder.open(temporaryFolder(files))

describe('read_file', () => {
  test('a long file comes in parts that together are the whole of it', async () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1} ✓ 😀`).join('\n')
    const folder = await open({ 'long.txt': `${text}\n` })
    const parts: string[] = []
    let start: number | undefined = 1
    while (start !== undefined) {
      const output = await runTool(readFileTool(folder), { path: 'long.txt', start_line: start })
      expect(output.length).toBeLessThan(16_200)
      const note = /\n\[cut: lines \d+ to \d+ of 5000; go on with start_line (\d+)\]$/.exec(output)
      parts.push(note ? output.slice(0, note.index) : output)
      start = note ? Number(note[1]) : undefined
    }
    expect(parts.length).toBeGreaterThan(4)
    expect(parts.join('\n')).toBe(text)
  })

  test('a single line over the bound is cut outside of surrogate pairs', async () => {
    const folder = await open({ 'min.js': `a${'😀'.repeat(20_000)}\nnext` })
    const output = await runTool(readFileTool(folder), { path: 'min.js' })
    expect(isWellFormed(output)).toBe(true)
    expect(output).toMatch(/\n\[cut: line 1 of 2 is longer; go on with start_line 2\]$/)
    expect(await runTool(readFileTool(folder), { path: 'min.js', start_line: 2 })).toBe('next')
  })

  test('more than 2 MiB is not read, and a character cut there is left out', async () => {
    const folder = await open({ 'huge.txt': `${'x'.repeat(78)}€\n`.repeat(40_000) })
    const output = await runTool(readFileTool(folder), { path: 'huge.txt', start_line: 25_500 })
    expect(output).toContain('[cut: only the first 2097152 bytes of a file can be read]')
    expect(output).not.toContain('\ufffd')
  })

  test.each([
    [
      'binary',
      new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1]),
      '[file is a binary file of 6 bytes]',
    ],
    ['empty', '', '[the file is empty]'],
    ['CRLF', 'a\r\nb\r\n', 'a\nb'],
    ['byte order mark', '\ufeffa', 'a'],
    ['not UTF-8', new Uint8Array([0x61, 0xff, 0x62]), 'a\ufffdb'],
  ])('%s', async (_, content, expected) => {
    expect(await runTool(readFileTool(await open({ file: content })), { path: 'file' })).toBe(
      expected,
    )
  })

  test('a line behind the end, a folder and a missing file say what is wrong', async () => {
    const folder = await open({ 'd/a': 'x' })
    const read = (args: object) => runTool(readFileTool(folder), args)
    await expect(read({ path: 'd/a', start_line: 2 })).rejects.toThrow('The file has 1 lines.')
    await expect(read({ path: 'd' })).rejects.toThrow('"d" is a folder')
    await expect(read({ path: 'b' })).rejects.toThrow('"b" does not exist')
    await expect(read({ path: 'd/a', start_line: 0 })).rejects.toThrow('start_line')
  })
})

describe('search_files', () => {
  test('finds whatever the case, with path and line, and takes the query as it is', async () => {
    const folder = await open({
      'a.txt': 'one\n  Revision (a.b)\n',
      'd/b.md': 'REVISION a*b',
      bin: new Uint8Array([0, 1, ...Buffer.from('revision')]),
    })
    const search = (args: object) => runTool(searchFilesTool(folder), args)
    expect(await search({ query: 'revision' })).toBe(
      'a.txt:2: Revision (a.b)\nd/b.md:1: REVISION a*b',
    )
    expect(await search({ query: '(a.b)' })).toBe('a.txt:2: Revision (a.b)')
    expect(await search({ query: 'revision', path: 'd' })).toBe('d/b.md:1: REVISION a*b')
    expect(await search({ query: 'revision', path: 'a.txt' })).toBe('a.txt:2: Revision (a.b)')
    expect(await search({ query: 'zzz' })).toBe('[no match in 3 files]')
  })

  test('stops after 50 matches and says so; long lines show the part around the match', async () => {
    const folder = await open({
      many: 'x\n'.repeat(80),
      wide: `${'😀'.repeat(300)}needle${'😀'.repeat(300)}`,
    })
    const lines = (await runTool(searchFilesTool(folder), { query: 'x' })).split('\n')
    expect(lines).toHaveLength(51)
    expect(lines.at(-1)).toBe('[cut: the first 50 matches; search a deeper folder]')
    const wide = await runTool(searchFilesTool(folder), { query: 'needle' })
    expect(wide).toMatch(/^wide:1: ….*needle.*…$/u)
    expect(wide.length).toBeLessThan(230)
    expect(isWellFormed(wide)).toBe(true)
  })

  test('exactly 50 matches are not cut', async () => {
    const folder = await open({ many: 'x\n'.repeat(50) })
    expect((await runTool(searchFilesTool(folder), { query: 'x' })).split('\n')).toHaveLength(50)
  })

  test('a file over 2 MiB is searched in its beginning, and that is said', async () => {
    const folder = await open({ big: `first\n${'hay\n'.repeat(600_000)}needle` })
    expect(await runTool(searchFilesTool(folder), { query: 'needle' })).toBe(
      '[no match in 1 files]\n[of 1 long files only the first 2097152 bytes were searched]',
    )
    expect(await runTool(searchFilesTool(folder), { query: 'first' })).toMatch(
      /^big:1: first\n\[of 1 long files/,
    )
  })

  test('an aborted search ends', async () => {
    const folder = await open({ a: 'x' })
    const search = runTool(searchFilesTool(folder), { query: 'x' }, AbortSignal.abort())
    await expect(search).rejects.toThrow(/abort/i)
  })
})

describe('list_files', () => {
  test('lists 200 names and says how many there are', async () => {
    const files = Object.fromEntries(Array.from({ length: 260 }, (_, i) => [`f${i + 1000}`, '']))
    const folder = await open(files)
    const lines = (await runTool(listFilesTool(folder), {})).split('\n')
    expect(lines).toHaveLength(201)
    expect(lines[0]).toBe('f1000')
    expect(lines.at(-1)).toBe('[cut: 200 of 260 names; list a deeper folder]')
    const deep = (await runTool(listFilesTool(folder), { recursive: true })).split('\n')
    expect(deep.at(-1)).toBe('[cut: only the first 200 names; list a deeper folder]')
  })

  test('recursive: folders and what lies in them, made things passed over', async () => {
    const folder = await open({ 'a/b/c.txt': '', 'a/d.txt': '', 'dist/x.js': '', z: '' })
    expect(await runTool(listFilesTool(folder), { recursive: true })).toBe(
      'a/\na/b/\na/b/c.txt\na/d.txt\ndist/\nz',
    )
    expect(await runTool(listFilesTool(folder), { path: 'dist' })).toBe('x.js')
    await expect(runTool(listFilesTool(folder), { path: 'z' })).rejects.toThrow('z is a file')
  })
})

test('no cut splits a surrogate pair', () => {
  const text = '😀a😀😀'
  for (let max = 0; max <= text.length; max++) {
    expect(isWellFormed(cut(text, max))).toBe(true)
    expect(cut(text, max).length).toBeLessThanOrEqual(max)
    if (max > 0) expect(isWellFormed(oneLine(text, max))).toBe(true)
  }
})
