/** A tool call that a sentence asks for. `changes`: later sentences may depend on it. */
export interface Wish {
  readonly tool: string
  readonly arguments: Readonly<Record<string, string | boolean>>
  readonly changes?: true
}

/** What one sentence means: tool calls, or a question about the conversation itself. */
export type Meaning =
  | { readonly kind: 'tools'; readonly wishes: readonly Wish[] }
  | { readonly kind: 'asked' | 'help' | 'hello' }
  | { readonly kind: 'unknown' | 'noted'; readonly text: string }

const wish = (tool: string, args: Wish['arguments'], changes?: true): Meaning => ({
  kind: 'tools',
  wishes: [changes ? { tool, arguments: args, changes } : { tool, arguments: args }],
})

const unquote = (text: string): string => text.trim().replace(/^(["'`“‘])(.+)(["'`”’])$/s, '$2')

const PATH = String.raw`(?:the (?:file|folder) )?("[^"]+"|'[^']+'|\`[^\`]+\`|\S+?)`
const LIST = `(?:(?:my|the) )?(?:to-?do|todo|task|shopping)?[ -]?(?:list|to-?dos|tasks)`
const SURE_PATH = String.raw`(?:the file )?("[^"]+"|'[^']+'|\`[^\`]+\`|[^\s"']*[./][^\s"']*|[A-Z]{3,}[^\s"']*)`

/** Words of arithmetic as signs. */
export function asExpression(text: string): string | undefined {
  const expression = text
    .toLowerCase()
    .replace(/(\d)\s*(?:%|percent) of\s+/g, '$1/100*')
    .replace(/\bdivided by\b/g, '/')
    .replace(/\b(?:multiplied by|times)\b/g, '*')
    .replace(/\bplus\b/g, '+')
    .replace(/\bminus\b/g, '-')
    .replace(/\b(?:to the power of|raised to)\b/g, '^')
    .replace(/\bsquared\b/g, '^2')
    .replace(/\bcubed\b/g, '^3')
    .replace(/\b(?:the )?square root of\s+(\d+(?:\.\d+)?)/g, 'sqrt($1)')
    .replace(/(\d)\s*x\s*(?=\d)/g, '$1*')
    .replace(/[\s=]+$/, '')
    .trim()
  const names = expression.match(/[a-z_][a-z_0-9]*/g) ?? []
  const isArithmetic =
    /^[\d\sa-z+\-*/^().,×÷−·]+$/.test(expression) &&
    names.every((name, index) => expression.includes(`${name}(`) || isConstant(names[index]))
  // A lone number or name is no question about arithmetic.
  return isArithmetic && /\d|\bpi\b/.test(expression) && /[-+*/^(×÷−·]/.test(expression)
    ? expression
    : undefined
}

const isConstant = (name: string | undefined): boolean => name === 'pi' || name === 'e'

type Rule = readonly [RegExp, (match: RegExpExecArray) => Meaning | undefined]

const RULES: readonly Rule[] = [
  [
    new RegExp(`^write (.+?) (?:to|into|in) ${SURE_PATH}$`, 'is'),
    ([, content = '', path = '']) =>
      wish('write_file', { path: unquote(path), content: unquote(content) }, true),
  ],
  [
    /^(?:run|execute)(?: the command)?:? (.+)$/is,
    ([, command = '']) => wish('run_command', { command: unquote(command) }, true),
  ],
  [/^ask me (.+)$/is, ([, question = '']) => wish('ask_user', { question: `${question}?` })],
  [/^remember(?: that)?:? (.+)$/is, ([, text = '']) => ({ kind: 'noted', text })],
  [/^(?:list|ls|dir)$/i, () => listWish(undefined, false)],
  [/^(?:hi|hello|hey|good (?:morning|evening|day))$/i, () => ({ kind: 'hello' })],
  [/^(?:help|what can you do|what do you understand)$/i, () => ({ kind: 'help' })],
  [
    /^what do you remember$|^what (?:did|have) (?:i|we) (?:just )?(?:ask(?:ed)?|sa(?:y|id)|talk(?:ed)? about)(?: you)?(?: before| so far| earlier| last)?$|^what (?:was|were) my (?:last|previous|earlier) (?:question|questions|message|messages)$/i,
    () => ({ kind: 'asked' }),
  ],
  [
    /^(?:add|create|new)(?: an?)?(?: new)? (?:to-?do|task)s?(?: item)?:? (?:to )?(.+)$/is,
    ([, text = '']) => wish('add_todo', { text: unquote(text) }, true),
  ],
  [
    /^(?:to-?do|task): ?(.+)$|^remind me to (.+)$/is,
    ([, a, b]) => wish('add_todo', { text: unquote(a ?? b ?? '') }, true),
  ],
  [
    new RegExp(`^(?:add|put) (.+?) (?:to|on) ${LIST}$`, 'is'),
    ([, text = '']) => wish('add_todo', { text: unquote(text) }, true),
  ],
  [
    new RegExp(
      `^(?:what(?: is|'s|s)? (?:on|in) |(?:show|list|read|display)(?: me)? )?${LIST}$`,
      'i',
    ),
    () => wish('list_todos', {}),
  ],
  [
    /^what (?:do i (?:still )?have to do|is (?:still )?(?:left )?to do|must i do)$/i,
    () => wish('list_todos', {}),
  ],
  [
    /^(?:mark|set|check off|tick off|complete|finish|done(?: with)?)(?: (?:to-?do|task|item|number)s?)? (.+?)(?: (?:as )?(?:done|complete|completed|finished))?$/is,
    ([whole, text = '']) =>
      /^(?:mark|set)\b/i.test(whole) && !/(?:done|completed?|finished)$/i.test(whole)
        ? undefined
        : eachTodo('complete_todo', text),
  ],
  [
    new RegExp(
      `^(?:remove|delete|drop)(?: (?:to-?do|task|item|number)s?)? (.+?)(?: (?:from|off) ${LIST})?$`,
      'is',
    ),
    ([, text = '']) => eachTodo('remove_todo', text),
  ],
  [
    new RegExp(
      `^(?:search|grep|look|find)(?: the files)?(?: for)? (.+?)(?: (?:in|under|below|inside) ${PATH})?$`,
      'is',
    ),
    ([, query = '', path]) => searchWish(query, path),
  ],
  [
    /^where (?:is|are|does|do) (.+?)(?: (?:mentioned|used|defined|appear|occur)s?)?$/is,
    ([, query = '']) => searchWish(query, undefined),
  ],
  [
    new RegExp(
      `^(?:(?:list|show)(?: me)?|what|which)(?: all)?(?: of)?(?: the)?( all)? files?(?: and folders)?(?: are| is)?(?: there)?(?: (?:in|under|below|of) ${PATH})?( recursively)?$`,
      'i',
    ),
    ([whole, , path, deep]) =>
      listWish(path, deep !== undefined || /^\w+(?: me)? all\b/i.test(whole)),
  ],
  [
    new RegExp(`^(?:ls|dir|list)(?: ${PATH})?( recursively)?$`, 'i'),
    ([, path, deep]) => listWish(path, deep !== undefined),
  ],
  [
    new RegExp(`^what(?: is|'s) in (?:the )?(?:folder )?${PATH}$`, 'i'),
    ([, path]) => listWish(path, false),
  ],
  [/^(?:read|open|cat|print)(?: me)?(?: the files?)? (.+)$/i, ([, paths = '']) => readEach(paths)],
  [
    new RegExp(`^(?:show|display)(?: me)? ${SURE_PATH}$`, 'i'),
    ([, path = '']) => wish('read_file', { path: unquote(path) }),
  ],
  [
    /^(?:(?:and )?what(?: is|'s|s)|calculate|compute|calc|how much is|evaluate|work out)? ?(.+)$/is,
    ([, text = '']) => {
      const expression = asExpression(text)
      return expression === undefined ? undefined : wish('calculate', { expression })
    },
  ],
  [
    /^(?:calculate|compute|calc|evaluate) (.+)$/is,
    ([, text = '']) => wish('calculate', { expression: text.trim() }),
  ],
]

function searchWish(query: string, path: string | undefined): Meaning {
  return wish('search_files', {
    query: unquote(query),
    ...(path === undefined ? {} : { path: folderPath(path) }),
  })
}

function listWish(path: string | undefined, recursive: boolean): Meaning {
  return wish('list_files', {
    path: path === undefined ? '.' : folderPath(path),
    ...(recursive ? { recursive } : {}),
  })
}

/** One call for each path; a path with blanks must stand in quotes. */
function readEach(text: string): Meaning | undefined {
  const paths = text.split(/\s*,\s*(?:and\s+)?|\s+and\s+/i)
  if (!paths.every((path) => /^(?:\S+|"[^"]+"|'[^']+'|`[^`]+`)$/.test(path))) return undefined
  return {
    kind: 'tools',
    wishes: paths.map((path) => ({ tool: 'read_file', arguments: { path: unquote(path) } })),
  }
}

/** "this folder", "here" and the like are the root. */
const folderPath = (path: string): string =>
  /^(?:here|it|this|the|root|repo|repository|folder|this folder|the repository)$/i.test(path)
    ? '.'
    : unquote(path)

/** "1, 2 and 3" are three calls; anything else is one to-do's text. */
function eachTodo(tool: string, text: string): Meaning {
  const numbers = /^#?\d+(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)#?\d+)*$/i.test(text.trim())
    ? (text.match(/\d+/g) ?? [])
    : [unquote(text)]
  return {
    kind: 'tools',
    wishes: numbers.map((todo) => ({ tool, arguments: { todo }, changes: true })),
  }
}

/** Rules are for sentences; a pasted book would only keep them busy. */
const MAX_MESSAGE = 4_000

/** What one sentence means. */
export function meaningOf(sentence: string): Meaning {
  const text = sentence
    .trim()
    .replace(/^(?:please|can you|could you|and|then)\s+/i, '')
    .replace(/(?:\s*,?\s*please)?[\s?!.;,]*$/i, '')
  for (const [pattern, make] of RULES) {
    const match = pattern.exec(text)
    const meaning = match && make(match)
    if (meaning) return meaning
  }
  return { kind: 'unknown', text: sentence.trim() }
}

/**
 * The meanings of a whole message, in order. It is parted at "and", "then", ends of sentences and
 * line feeds, but only where what follows is understood by itself: "buy milk and bread" is one to-do.
 */
export function meaningsOf(message: string): Meaning[] {
  if (message.length > MAX_MESSAGE) return [{ kind: 'unknown', text: message }]
  const pieces = message
    .trim()
    .split(/(\s*,?\s+(?:and then|and also|and|then|also)\s+|[?!.;]+\s+|\s*\n+\s*)/i)
  const sentences: string[] = [pieces[0] ?? '']
  for (let index = 1; index < pieces.length; index += 2) {
    const separator = pieces[index] ?? ''
    const piece = pieces[index + 1] ?? ''
    if (meaningOf(piece).kind !== 'unknown') sentences.push(piece)
    else sentences[sentences.length - 1] += separator + piece
  }
  return sentences.filter((sentence) => sentence.trim() !== '').map(meaningOf)
}
