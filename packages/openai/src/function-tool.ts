import type { ToolDefinition } from '@holdfast/core'

/** What both APIs are told about a tool. */
export const functionTool = ({ name, description, parameters }: ToolDefinition) => ({
  name,
  description,
  parameters,
})
