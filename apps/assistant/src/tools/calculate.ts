import { tool } from '@holdfast/core'
import { z } from 'zod'
import { evaluate } from './formula.ts'

export const calculateTool = () =>
  tool({
    name: 'calculate',
    description:
      'Calculates an arithmetic expression of numbers, + - * / ^ ( ), PI, E and functions such as sqrt, round, min, max, sin, log.',
    parameters: z.object({
      expression: z.string().min(1).describe('For example (17 + 3) * 23'),
    }),
    execute: ({ expression }) => evaluate(expression),
  })
