import { type AgentItem, userMessage } from '@holdfast/core'

/** Item number `number` of `writer`. */
export const itemOf = (writer: string, number: number): AgentItem =>
  userMessage(`<${writer}/${number}>`)

/** Which items stored entries, or items, are: `writer/number`. */
export const tokensOf = (texts: readonly string[]): string[] =>
  texts.map((text) => {
    const token = /<([^>]+)>/.exec(text)?.[1]
    if (token === undefined) throw new Error(`no writer wrote ${text.slice(0, 80)}`)
    return token
  })
