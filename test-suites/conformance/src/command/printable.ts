// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const COLOURS = /\u001b\[[\d;]*m/g
/** Controls but the line feed, line separators, and the marks that turn the direction of text. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** `text` for a terminal, which obeys control characters: colours removed, other controls as `\u001b`. */
export const printable = (text: string): string =>
  text
    .replace(COLOURS, '')
    .replace(UNPRINTABLE, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What `error` says, whatever was thrown. */
export function messageOf(error: unknown): string {
  try {
    const message = error instanceof Error ? error.message : error
    return typeof message === 'string' ? message : String(message)
  } catch {
    return 'something was thrown that has no text'
  }
}
