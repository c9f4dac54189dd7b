import Formula from 'fparser'

const FUNCTIONS = new Set(
  'abs ceil floor round trunc sign sqrt cbrt pow exp log log2 log10 min max hypot sin cos tan asin acos atan atan2 sinh cosh tanh'.split(
    ' ',
  ),
)
const CONSTANTS = new Set(['PI', 'E'])
const MAX_LENGTH = 500
const TOKEN = /\s*((?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[a-z_]\w*|[-+*/^(),])/iy

const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/[×·∙]/g, '*'],
  [/÷/g, '/'],
  [/[−–]/g, '-'],
  [/\*\*/g, '^'],
]

/**
 * The value of an arithmetic expression, as text: `17*23` is `391`. Throws with a plain message where
 * it cannot be read.
 *
 * The library resolves names on its own objects (`formulaStr`, `hasOwnProperty`), so only listed
 * names are let through to it.
 */
export function evaluate(expression: string): string {
  if (expression.length > MAX_LENGTH) {
    throw new Error(`The expression is longer than ${MAX_LENGTH} characters.`)
  }
  const value: unknown = new Formula(rewriteSigns(tokensOf(expression)).join(' ')).evaluate({})
  if (typeof value !== 'number') throw new Error('The expression has no number as its value.')
  return format(value)
}

function tokensOf(expression: string): string[] {
  let text = SPELLINGS.reduce((rest, [from, to]) => rest.replace(from, to), expression).trim()
  // In `max(1,000)` the comma parts arguments; without a name it can only group thousands.
  if (!/[a-z]/i.test(text)) text = text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const rest = text.slice(TOKEN.lastIndex).trimStart()
    const token = TOKEN.exec(text)?.[1]
    if (token === undefined) {
      throw new Error(
        `${JSON.stringify([...rest][0])} cannot be part of an expression; use numbers, + - * / ^ ( ) and functions such as sqrt.`,
      )
    }
    tokens.push(token)
  }
  if (tokens.length === 0) throw new Error('The expression is empty.')
  return tokens.map((token, index) => checkedName(token, tokens[index + 1]))
}

function checkedName(token: string, next: string | undefined): string {
  if (token.startsWith('.')) return `0${token}`
  if (!/^[a-z_]/i.test(token)) return token
  if (CONSTANTS.has(token.toUpperCase())) return token.toUpperCase()
  const name = token.toLowerCase() === 'ln' ? 'log' : token.toLowerCase()
  if (!FUNCTIONS.has(name)) {
    throw new Error(
      `${JSON.stringify(token)} is unknown; known are ${[...FUNCTIONS].join(', ')}, PI and E.`,
    )
  }
  if (next !== '(') throw new Error(`${name} needs its arguments in parentheses.`)
  return name
}

/** The library reads `-2^2` as `(-2)^2`; everyone else as `-(2^2)`. A sign in front becomes a subtraction. */
function rewriteSigns(tokens: readonly string[]): string[] {
  const out: string[] = []
  for (const token of tokens) {
    const before = out.at(-1)
    if (token !== '-' && token !== '+') out.push(token)
    else if (before === undefined || before === '(' || before === ',') out.push('0', token)
    else if (before === '*' || before === '/') {
      if (token === '-') out.push('(', '0', '-', '1', ')', before)
    } else if (before === '+' || before === '-') {
      out[out.length - 1] = before === token ? '+' : '-'
    } else if (before !== '^' || token === '-') out.push(token)
  }
  return out
}

function format(value: number): string {
  if (Number.isNaN(value)) return 'undefined (not a number)'
  if (!Number.isFinite(value)) {
    return `${value > 0 ? '' : '-'}infinity (a division by zero, or a number too large)`
  }
  if (Number.isInteger(value)) {
    return Number.isSafeInteger(value) ? String(value) : `about ${value}`
  }
  // 0.1 + 0.2 is 0.30000000000000004 in binary; 15 digits are what a double can promise.
  return String(Number(value.toPrecision(15)))
}
