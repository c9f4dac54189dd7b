/**
 * Words in snake case: what codes are made of, and keys are not. An endpoint may put anything into `code`,
 * and a code goes into messages and stored events.
 */
const WORD = /^(?!(?:sk|pk|rk)_)[a-z]{1,24}\d{0,3}(?:_(?:[a-z]{1,24}\d{0,3}|\d{1,4}))*$/

/** The code or type of an endpoint's error, where it is one. */
export const codeWord = (error: Readonly<Record<string, unknown>>): string | undefined =>
  [error['code'], error['type']].find(
    (word): word is string => typeof word === 'string' && word.length <= 60 && WORD.test(word),
  )
