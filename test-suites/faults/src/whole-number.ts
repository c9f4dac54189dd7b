/** The number that `--name` was given; throws for what is none. */
export function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new Error(`--${name} must be a whole number, got ${text}`)
  }
  return number
}
