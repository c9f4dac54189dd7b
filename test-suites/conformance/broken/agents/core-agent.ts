import { type AgentOptions, createAgent, tool } from '@holdfast/core'
import type { AgentHarness } from '../../src/agent/index.ts'

/** Core's own agent as the suite tests it. */
export const coreAgent = (
  make = (options: AgentOptions) => createAgent(options),
): AgentHarness => ({
  async run({ memory, tools, script, input }) {
    const agent = make({
      modelClient: script,
      model: 'scripted',
      modelRetries: 0,
      tools: tools.map(({ name, description, parameters, execute }) =>
        tool({
          name,
          description,
          parameters,
          execute: (args) => execute(args as Record<string, unknown>),
        }),
      ),
    })
    return agent.run(input, { memory })
  },
  createAgent: make,
})
