import { readdirSync, readFileSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { SCENARIOS } from '../recordings/scenarios.ts'

const at = (name: string) => new URL(`../recordings/${name}`, import.meta.url)

test.each(Object.entries(SCENARIOS))(
  'recordings/%s.txt is what the program says today (npm run record -w @holdfast/assistant)',
  async (name, scenario) => {
    expect(await scenario(inject('app'))).toBe(readFileSync(at(`${name}.txt`), 'utf8'))
  },
)

test('every recording has its scenario, and is named in the README', () => {
  const texts = readdirSync(at('.')).filter((name) => name.endsWith('.txt'))
  expect(texts.sort()).toEqual(
    Object.keys(SCENARIOS)
      .map((name) => `${name}.txt`)
      .sort(),
  )
  const readme = readFileSync(at('../README.md'), 'utf8')
  for (const name of texts) expect(readme).toContain(`recordings/${name}`)
})
