/** How much of one text a compaction looks at, in UTF-16 units. */
export const MAX_TEXT = 4_000

/** The first `max` UTF-16 units of `text`, one less where that would leave half of a surrogate pair. */
export const cutText = (text: string, max: number): string =>
  text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(max - 1)) && text.length > max ? max - 1 : max)

/** `text` on one line, at most `max` UTF-16 units long. */
export function oneLine(text: string, max: number): string {
  // Whitespace makes a text longer, so four times `max` is looked at: a text of 20 MB costs no more than others.
  const line = cutText(text, max * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > max || text.length > max * 4 ? `${cutText(line, max - 1)}…` : line
}

/** What of a message's content, or of a tool's output, is text; any other part by its type. */
export const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part) => part?.text ?? `[${part?.type}]`).join('\n')
      : ''
