import type { AgentItem } from '../src/index.ts'

/** The text of each message. */
export const texts = (items: readonly AgentItem[]): string[] =>
  items.map((item) => (item['content'] as { text: string }[])[0]?.text ?? '')
