/** Endings that make a word without a slash the name of a file. */
const NAME =
  /^[\w.-]*\.(tsx?|jsx?|[mc]js|json|md|py|go|rs|java|kt|cpp|cs|rb|php|sh|sql|html?|css|ya?ml|toml|txt|csv|pdf|png|jpe?g|svg|lock|env)$/i
const ROOTED = /^([a-z]:|~|\.{1,2})?[\\/]+[\w.@-]/i
const NESTED = /^[^\\/:]+[\\/].*\.\w{1,8}$/

/** The words of `text` that are paths: from a root, nested with an ending, or a name with a known ending. */
export const filePaths = (text: string): string[] =>
  // Words first: one expression for paths anywhere takes quadratic time on a long word.
  text
    .split(/[\s"'`()<>,;|[\]{}*=]+/)
    .map((word) => word.slice(0, 300).replace(/(:\d+){0,2}[.:!?]*$/, ''))
    .filter((word) => NAME.test(word) || ROOTED.test(word) || NESTED.test(word))
