import { tool } from '@holdfast/core'
import { z } from 'zod'

/** A question back to the user. The run is interrupted until it is answered, today or in another process. */
export const askUserTool = () =>
  tool({
    name: 'ask_user',
    description:
      'Asks the user one question and answers what they say. Only for what no other tool can tell.',
    parameters: z.object({ question: z.string().min(1).max(2_000) }),
    execute: async ({ question }, { ask }) => String(await ask({ question })),
  })
