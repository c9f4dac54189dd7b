import { styleText } from 'node:util'

export type Style = 'dim' | 'red' | 'bold'
/** Puts a style around finished text. */
export type Paint = (style: Style, text: string) => string

/** Colours for a terminal; plain text for a pipe, a file, `NO_COLOR` or a dumb terminal. */
export function painter(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Paint {
  const coloured = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  return coloured ? (style, text) => styleText(style, text) : (_, text) => text
}
