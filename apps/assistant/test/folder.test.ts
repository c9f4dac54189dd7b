import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Folder } from '../src/tools/folder.ts'
import { listFilesTool } from '../src/tools/list-files.ts'
import { readFileTool } from '../src/tools/read-file.ts'
import { searchFilesTool } from '../src/tools/search-files.ts'
import { runTool } from './run-tool.ts'
import { temporaryFolder } from './temporary.ts'

/** A root beside a secret, with links of every kind between them. */
async function trap() {
  const base = temporaryFolder({
    'secret/key.txt': 'TOPSECRET',
    'root-twin/key.txt': 'TOPSECRET',
    'root/a.txt': 'alpha',
    'root/docs/b.txt': 'beta',
    'root/.git/config': 'TOPSECRET',
    'root/node_modules/x/index.js': 'TOPSECRET',
    'root/.holdfast/assistant.db': 'TOPSECRET',
  })
  const root = join(base, 'root')
  symlinkSync(join(base, 'secret/key.txt'), join(root, 'file-out'))
  symlinkSync('../secret', join(root, 'folder-out'))
  symlinkSync('../root-twin', join(root, 'twin'))
  symlinkSync('/proc/self', join(root, 'process'))
  symlinkSync('/', join(root, 'top'))
  symlinkSync('.git/config', join(root, 'to-git'))
  symlinkSync('.', join(root, 'circle'))
  symlinkSync('docs', join(root, 'inside'))
  symlinkSync('nowhere', join(root, 'broken'))
  symlinkSync('loop', join(root, 'loop'))
  mkdirSync(join(root, 'deep'))
  symlinkSync('../../secret', join(root, 'deep/out'))
  return { base, root, folder: await Folder.open(root) }
}

const escapes = (base: string): string[] => [
  '..',
  '../secret/key.txt',
  'docs/../../secret/key.txt',
  'docs/..',
  './../secret/key.txt',
  `${base}/secret/key.txt`,
  '/etc/passwd',
  '//etc/passwd',
  '../root-twin/key.txt',
  'file-out',
  'twin/key.txt',
  'folder-out',
  'folder-out/key.txt',
  'deep/out/key.txt',
  'circle/folder-out/key.txt',
  'top/etc/passwd',
  'process/environ',
  'process/root/etc/passwd',
  'process/cwd',
  '/proc/self/environ',
  '/dev/zero',
  'C:/Windows',
  'c:secret',
  '..\\secret\\key.txt',
  'docs\\b.txt',
  'a.txt\0',
  'a.txt\0/../../secret',
  'a\nb',
  'to-git',
  '.git/config',
  '.GIT/config',
  'docs/../.git/config',
  '.git',
  'node_modules/x/index.js',
  '.holdfast/assistant.db',
  'broken',
  'loop',
  'a.txt/x',
  'x'.repeat(5_000),
  `${'x/'.repeat(300)}x`,
  'y'.repeat(300),
]

describe('confinement', () => {
  test('no tool reads, lists or searches outside the folder', async () => {
    const { base, folder } = await trap()
    const paths = escapes(base)
    for (const path of paths) {
      for (const call of [
        () => runTool(readFileTool(folder), { path }),
        () => runTool(listFilesTool(folder), { path }),
        () => runTool(searchFilesTool(folder), { path, query: 'TOPSECRET' }),
      ]) {
        const outcome = await call().catch((error: unknown) => error)
        expect(outcome, path).toBeInstanceOf(Error)
        expect(String(outcome)).not.toContain('TOPSECRET')
      }
    }
    expect(paths.length).toBeGreaterThanOrEqual(35)
  })

  test('what lies inside is reached, through links inside as well', async () => {
    const { folder } = await trap()
    const read = (path: string) => runTool(readFileTool(folder), { path })
    expect(await read('a.txt')).toBe('alpha')
    expect(await read('./docs//b.txt')).toBe('beta')
    expect(await read('inside/b.txt')).toBe('beta')
    expect(await read('circle/circle/a.txt')).toBe('alpha')
  })

  test('a search of everything finds nothing outside, and ends in spite of circles', async () => {
    const { folder } = await trap()
    expect(await runTool(searchFilesTool(folder), { query: 'topsecret' })).toMatch(/^\[no match in/)
    expect(await runTool(searchFilesTool(folder), { query: 'beta' })).toBe('docs/b.txt:1: beta')
  })

  test('a listing says which links lead out and leaves out .git, node_modules and .holdfast', async () => {
    const { folder } = await trap()
    const lines = (await runTool(listFilesTool(folder), {})).split('\n')
    expect(lines).toContain('file-out [link that leads out or nowhere]')
    expect(lines).toContain('folder-out [link that leads out or nowhere]')
    expect(lines).toContain('to-git [link that leads out or nowhere]')
    expect(lines).toContain('inside -> docs')
    expect(lines).toContain('docs/')
    expect(lines.join('\n')).not.toMatch(/\.git|node_modules|\.holdfast/)
  })

  test('the root may be reached through a link, and must be a folder', async () => {
    const { base, root } = await trap()
    symlinkSync(root, join(base, 'link-to-root'))
    const folder = await Folder.open(join(base, 'link-to-root'))
    expect(await runTool(readFileTool(folder), { path: 'a.txt' })).toBe('alpha')
    await expect(Folder.open(join(base, 'missing'))).rejects.toThrow(/cannot be opened \(ENOENT\)/)
    await expect(Folder.open(join(root, 'a.txt'))).rejects.toThrow(/not a folder/)
    await expect(Folder.open('/proc/self')).rejects.toThrow(/kernel interface/)
  })

  test('with the whole file system as the folder, kernel files stay closed', async () => {
    const folder = await Folder.open('/')
    for (const path of ['proc/self/environ', 'dev/zero', 'proc', 'sys']) {
      await expect(folder.resolve(path), path).rejects.toThrow()
    }
  })

  test('a pipe in the folder is refused and does not hang', async () => {
    const root = temporaryFolder()
    execFileSync('mkfifo', [join(root, 'pipe')])
    const folder = await Folder.open(root)
    await expect(runTool(readFileTool(folder), { path: 'pipe' })).rejects.toThrow(/not a file/)
    expect(await runTool(searchFilesTool(folder), { query: 'x' })).toBe('[no match in 0 files]')
  })

  test('names of files are shown on one line each', async () => {
    const root = temporaryFolder()
    writeFileSync(join(root, 'a\nfake.txt'), '')
    const folder = await Folder.open(root)
    expect(await runTool(listFilesTool(folder), {})).toBe('"a\\nfake.txt"')
    expect(await runTool(listFilesTool(folder), { recursive: true })).toBe('"a\\nfake.txt"')
  })
})
