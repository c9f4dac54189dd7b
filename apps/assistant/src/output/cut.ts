/**
 * `text` shortened to at most `max` UTF-16 units. Never ends in half of a surrogate pair: a lone
 * surrogate would reach the model and the store as broken text.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, splitsPair ? max - 1 : max)
}

/** `text` on one line of at most `max` UTF-16 units; `…` stands for what was left out. */
export function oneLine(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${cut(line, max - 1)}…`
}
