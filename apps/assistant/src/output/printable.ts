// C0 and C1 controls and DEL (Unicode Cc) drive a terminal: colours, titles, the clipboard, the cursor;
// bidi controls reorder what is read. Line feed and tab are the only ones that text needs.
const CONTROLS = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

// As JSON spells them, so that JSON with such a character in it stays the same JSON.
const escapeControl = (char: string): string =>
  `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** `text` as a terminal may show it: control characters of files, models and ids are spelled out. */
export const printable = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(CONTROLS, escapeControl)
