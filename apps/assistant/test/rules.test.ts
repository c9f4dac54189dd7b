import { describe, expect, test } from 'vitest'
import { meaningsOf } from '../src/model/rules.ts'

/** Meanings in short: `tool argument…`, parted by ` + `. */
const short = (message: string): string =>
  meaningsOf(message)
    .map((meaning) =>
      meaning.kind === 'tools'
        ? meaning.wishes
            .map((wish) => [wish.tool, ...Object.values(wish.arguments)].join(' '))
            .join(' & ')
        : meaning.kind,
    )
    .join(' + ')

describe('what sentences mean', () => {
  test.each([
    ['list files', 'list_files .'],
    ['list files in docs', 'list_files docs'],
    ['What files are in the folder docs?', 'list_files docs'],
    ['ls packages/core', 'list_files packages/core'],
    ['list all files in docs', 'list_files docs true'],
    ['list', 'list_files .'],
    ['what is in docs?', 'list_files docs'],
    ['read README.md', 'read_file README.md'],
    ['Please read the file docs/design.md.', 'read_file docs/design.md'],
    ['show me LICENSE', 'read_file LICENSE'],
    ['read "my file.txt"', 'read_file my file.txt'],
    ['read a.md, b.md and c.md', 'read_file a.md & read_file b.md & read_file c.md'],
    ['search for revision', 'search_files revision'],
    ['search for salt and pepper', 'search_files salt and pepper'],
    ['grep "in the" in packages', 'search_files in the packages'],
    ['where is createAgent defined?', 'search_files createAgent'],
    ['what is 17*23', 'calculate 17*23'],
    ["What's 2 + 2?", 'calculate 2 + 2'],
    ['2+2=', 'calculate 2+2'],
    ['how much is 15% of 80', 'calculate 15/100*80'],
    ['what is 3 times 4 plus 1', 'calculate 3 * 4 + 1'],
    ['what is the square root of 81', 'calculate sqrt(81)'],
    ['calculate foo', 'calculate foo'],
    ['add todo buy milk', 'add_todo buy milk'],
    ['add a todo: buy milk and bread', 'add_todo buy milk and bread'],
    ['add buy milk to my to-do list', 'add_todo buy milk'],
    ['remind me to call Ann', 'add_todo call Ann'],
    ['what is on my list', 'list_todos'],
    ['show my list', 'list_todos'],
    ['what do I have to do?', 'list_todos'],
    ['mark 1 done', 'complete_todo 1'],
    ['mark 1, 2 and 3 as done', 'complete_todo 1 & complete_todo 2 & complete_todo 3'],
    ['done with buy milk', 'complete_todo buy milk'],
    ['remove 2 from my list', 'remove_todo 2'],
    ['what did I ask before?', 'asked'],
    ['what was my last question?', 'asked'],
    ['hello', 'hello'],
    ['help', 'help'],
    ['what is 2+2 and read LICENSE', 'calculate 2+2 + read_file LICENSE'],
    ['list files in docs, then read docs/errors.md', 'list_files docs + read_file docs/errors.md'],
    ['read a.md. what is 1+1?', 'read_file a.md + calculate 1+1'],
    ['add todo tea and what is on my list', 'add_todo tea + list_todos'],
    ['tell me a joke', 'unknown'],
    ['what is the meaning of life', 'unknown'],
    ['what is 5', 'unknown'],
    ['mark 1', 'unknown'],
    ['', ''],
  ])('%s: %s', (message, expected) => {
    expect(short(message)).toBe(expected)
  })

  test('a long message takes no long time', () => {
    const started = performance.now()
    for (const piece of [
      'a ',
      'and ',
      'add ',
      '1+',
      ' in ',
      'read x and ',
      '"',
      '?!',
      'x, ',
      '\n',
    ]) {
      meaningsOf(piece.repeat(4_000 / piece.length))
      meaningsOf(`search for ${piece.repeat(3_900 / piece.length)}!`)
      expect(short(piece.repeat(100_000))).toBe('unknown')
    }
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
