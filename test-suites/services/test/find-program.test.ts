import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findProgram } from '../src/process/find-program.ts'
import { Unavailable } from '../src/service.ts'

const folders: string[] = []

afterEach(() => {
  vi.unstubAllEnvs()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function folderWith(name: string, mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-programs-'))
  folders.push(folder)
  writeFileSync(join(folder, name), '#!/bin/sh\n', { mode })
  return folder
}

describe.skipIf(process.platform === 'win32')('findProgram', () => {
  it('takes the first name that is a program on PATH', () => {
    const folder = folderWith('holdfast-b', 0o755)
    vi.stubEnv('PATH', `${folderWith('holdfast-a', 0o644)}:${folder}`)
    expect(findProgram('holdfast-a', 'holdfast-b')).toBe(join(folder, 'holdfast-b'))
  })

  it('says which names it looked for', () => {
    expect(() => findProgram('holdfast-a', 'holdfast-b')).toThrow(Unavailable)
    expect(() => findProgram('holdfast-a', 'holdfast-b')).toThrow(
      'no holdfast-a or holdfast-b on PATH',
    )
  })
})
