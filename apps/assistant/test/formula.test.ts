import { expect, test } from 'vitest'
import { calculateTool } from '../src/tools/calculate.ts'
import { evaluate } from '../src/tools/formula.ts'
import { runTool } from './run-tool.ts'

test.each([
  ['17*23', '391'],
  ['(17 + 3) * 23', '460'],
  ['0.1+0.2', '0.3'],
  ['.5+.5', '1'],
  ['2^10', '1024'],
  ['2**10', '1024'],
  ['2^3^2', '512'],
  ['-2^2', '-4'],
  ['(-2)^2', '4'],
  ['2*-2^2', '-8'],
  ['8/-2', '-4'],
  ['5--2', '7'],
  ['5+-2', '3'],
  ['2^-1', '0.5'],
  ['max(-1, -2)', '-1'],
  ['1,000*2', '2000'],
  ['max(1,000)', '1'],
  ['17×23÷2−1', '194.5'],
  ['SQRT(16)', '4'],
  ['ln(e)', '1'],
  ['1e3', '1000'],
  ['9007199254740993*1', 'about 9007199254740992'],
  ['1/0', 'infinity (a division by zero, or a number too large)'],
  ['-1/0', '-infinity (a division by zero, or a number too large)'],
  ['0/0', 'undefined (not a number)'],
  ['sqrt(-1)', 'undefined (not a number)'],
])('%s is %s', (expression, value) => {
  expect(evaluate(expression)).toBe(value)
})

test.each([
  'constructor',
  'constructor.constructor(1)',
  'hasOwnProperty(1)',
  'toString()',
  'formulaStr',
  'options',
  '__proto__',
  'evaluate(1)',
  'ifElse(1,2,3)',
  'first(1)',
  'random()',
  'process.exit()',
  'require("fs")',
  '[x.y]',
  '"a"',
  '1;2',
  'x',
  'sqrt',
  '2+',
  '(1',
  '1)',
  '2 3',
  '5%',
  '',
  '   ',
  '('.repeat(501),
  '1'.repeat(501),
])('%s is refused', (expression) => {
  expect(() => evaluate(expression)).toThrow(Error)
})

test('deep nesting within the bound is calculated, quickly', () => {
  const started = performance.now()
  expect(evaluate(`${'('.repeat(249)}1${')'.repeat(249)}`)).toBe('1')
  expect(evaluate(Array(240).fill('9^9').join('^').slice(0, 499))).toMatch(/infinity/)
  expect(performance.now() - started).toBeLessThan(1_000)
})

test('the tool answers text', async () => {
  expect(await runTool(calculateTool(), { expression: '1/0' })).toMatch(/^infinity/)
  await expect(runTool(calculateTool(), { expression: '' })).rejects.toThrow('expression')
})
