import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EndsOfText } from '../src/tools/ends-of-text.ts'
import { Folder } from '../src/tools/folder.ts'
import { runCommandTool } from '../src/tools/run-command.ts'
import { writeFileTool } from '../src/tools/write-file.ts'
import { runTool } from './run-tool.ts'
import { temporaryFolder } from './temporary.ts'

describe('write_file', () => {
  const write = async (root: string, path: string, content = 'new') =>
    runTool(writeFileTool(await Folder.open(root), true), { path, content })

  test('makes a file and the folders on the way, or replaces one whole, keeping its mode', async () => {
    const root = temporaryFolder({ 'run.sh': 'a longer text than the next' })
    const { chmodSync } = await import('node:fs')
    chmodSync(join(root, 'run.sh'), 0o750)
    expect(await write(root, 'a/b/c.txt', '😀')).toBe('Created a/b/c.txt (4 bytes)')
    expect(readFileSync(join(root, 'a/b/c.txt'), 'utf8')).toBe('😀')
    expect(await write(root, './run.sh', '')).toBe('Replaced run.sh (0 bytes)')
    expect(readFileSync(join(root, 'run.sh'), 'utf8')).toBe('')
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o750)
    expect(readdirSync(root).sort()).toEqual(['a', 'run.sh'])
  })

  test.each([
    '../x.txt',
    '/tmp/x.txt',
    'a/../../x.txt',
    'out/x.txt',
    'out/deep/x.txt',
    'file-out',
    'dangling/x.txt',
    '.git/hooks/pre-commit',
    '.GIT/config',
    'node_modules/x/index.js',
    '.holdfast/assistant.db',
    'hidden/config',
    'folder',
    'folder/',
    '.',
    'a\\b',
    'a\u0000b',
  ])('%j is refused, and nothing is made', async (path) => {
    const outside = temporaryFolder({ 'victim.txt': 'old' })
    const root = temporaryFolder()
    mkdirSync(join(root, 'folder'))
    mkdirSync(join(root, '.git'))
    symlinkSync(outside, join(root, 'out'))
    symlinkSync(join(outside, 'victim.txt'), join(root, 'file-out'))
    symlinkSync(join(outside, 'nowhere'), join(root, 'dangling'))
    symlinkSync(join(root, '.git'), join(root, 'hidden'))
    await expect(write(root, path)).rejects.toThrow()
    expect(readdirSync(outside)).toEqual(['victim.txt'])
    expect(readFileSync(join(outside, 'victim.txt'), 'utf8')).toBe('old')
    expect(readdirSync(join(root, '.git'))).toEqual([])
    expect(readdirSync(root).sort()).toEqual([
      '.git',
      'dangling',
      'file-out',
      'folder',
      'hidden',
      'out',
    ])
  })

  test('a link inside is followed inside; one that leads nowhere is replaced, not followed', async () => {
    const outside = temporaryFolder()
    const root = temporaryFolder({ 'real/a.txt': 'old' })
    symlinkSync(join(root, 'real/a.txt'), join(root, 'inside.txt'))
    symlinkSync(join(outside, 'new.txt'), join(root, 'nowhere.txt'))
    expect(await write(root, 'inside.txt')).toBe('Replaced real/a.txt (3 bytes)')
    expect(readFileSync(join(root, 'real/a.txt'), 'utf8')).toBe('new')
    await write(root, 'nowhere.txt')
    expect(lstatSync(join(root, 'nowhere.txt')).isFile()).toBe(true)
    expect(existsSync(join(outside, 'new.txt'))).toBe(false)
  })
})

describe('run_command', () => {
  const command = async (text: string, more: object = {}, signal?: AbortSignal) =>
    runTool(
      runCommandTool(await Folder.open(temporaryFolder({ 'a.txt': 'x' })), true),
      { command: text, ...more },
      signal,
    )

  test('answers exit code and output, in the folder, without input', async () => {
    expect(await command('ls; echo oops >&2; exit 3')).toMatch(
      /^\[exit code 3\]\n(a\.txt\noops|oops\na\.txt)\n$/,
    )
    expect(await command('true')).toBe('[exit code 0]\n[no output]')
    expect(await command('cat; echo end')).toBe('[exit code 0]\nend\n')
    expect(await command('kill -TERM $$')).toBe('[ended by SIGTERM]\n[no output]')
  })

  test('ends in time, with all that it started', async () => {
    const begun = performance.now()
    const text = await command('echo a; sleep 77.123 & sleep 77.123', { timeout_seconds: 1 })
    expect(text).toBe('[stopped after 1 s]\na\n')
    expect(await command('sleep 77.321 & echo b')).toBe('[exit code 0]\nb\n')
    expect(performance.now() - begun).toBeLessThan(20_000)
    expect(await command("ps ax | grep 'sleep 77[.]' | wc -l")).toMatch(/^\[exit code 0\]\n\s*0\n$/)
  })

  test('ends when the run is aborted', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 200)
    expect(await command('echo a; sleep 60', {}, controller.signal)).toBe('[ended by SIGKILL]\na\n')
    expect(await command('echo a; sleep 60', {}, AbortSignal.abort())).toMatch(
      /^\[ended by SIGKILL\]/,
    )
  })

  test('long output keeps its beginning and its end, whole characters only', async () => {
    const text = await command("seq 1 100000; yes '😀' | head -n 20000 | tr -d '\\n'")
    expect(text.length).toBeLessThan(12_200)
    expect(text).toMatch(/^\[exit code 0\]\n1\n2\n3\n/)
    expect(text).toMatch(/\[… \d+ characters left out …\]\n(😀)+$/u)
    expect(text).not.toMatch(/\p{Surrogate}/u)
  })

  test.each([0, 601, 1.5])('timeout_seconds %d is refused', async (timeout_seconds) => {
    await expect(command('true', { timeout_seconds })).rejects.toThrow()
  })
})

test('ends of a text: every cut is between characters, whatever the pieces', () => {
  for (let length = 0; length < 60; length++) {
    const text = Array.from({ length }, (_, n) => (n % 3 ? '😀' : String(n % 10))).join('')
    for (const size of [1, 2, 3, 7, 100]) {
      const ends = new EndsOfText(20)
      for (let at = 0; at < text.length; at += size) ends.add(text.slice(at, at + size))
      const kept = ends.text()
      expect(kept).not.toMatch(/\p{Surrogate}/u)
      if (text.length <= 20) expect(kept).toBe(text)
      const [first = '', last = ''] = kept.split(/\n\[… \d+ characters left out …\]\n/)
      expect(text.startsWith(first)).toBe(true)
      expect(text.endsWith(last)).toBe(true)
    }
  }
})
