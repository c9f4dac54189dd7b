import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'vitest'

it('the driver has fewer than 60 lines of code, blank lines and comments left out', async () => {
  const text = await readFile(new URL('../src/file-driver.js', import.meta.url), 'utf8')
  const code = text
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('//'))
  assert.ok(code.length < 60, `it has ${code.length}`)
})
