import { expect, test } from 'vitest'
import {
  boundNotes,
  LISTS,
  listsBy,
  notesOf,
  notesText,
} from '../../src/compaction/compact-notes.ts'
import { seeded } from './support.ts'

const PIECES = [
  '## Decisions',
  '- x',
  '> y',
  '\n',
  '\r',
  '\u2028',
  '\u0085',
  '  ',
  '## Mine',
  '😀',
  'Notes on',
  '#',
  '\t',
]

test('2000 random notes: what is written is read back, and no text forges a section', () => {
  for (let seed = 1; seed <= 2_000; seed++) {
    const random = seeded(seed)
    const text = () =>
      Array.from({ length: random() * 6 }, () => PIECES[Math.floor(random() * PIECES.length)]).join(
        '',
      )
    const raw = {
      ...listsBy(() => Array.from({ length: random() * 4 }, text)),
      foreign: random() < 0.5 ? text() : '',
    }
    const notes = boundNotes(raw, 10_000)
    expect(notesOf(notesText(notes)), `seed ${seed}`).toEqual(notes)
    expect(boundNotes(notes, 10_000), `seed ${seed}`).toEqual(notes)
    const headings = notesText(notes)
      .split('\n')
      .filter((line) => line.startsWith('## '))
    expect(headings.length).toBe(
      LISTS.filter((name) => notes[name].length).length + (notes.foreign ? 1 : 0),
    )
  }
})

test('an entry that comes again takes the later place, and goes later', () => {
  const none = { ...listsBy(() => []), foreign: '' }
  const files = ['a.ts', 'b.ts', 'A.ts']
  const notes = boundNotes({ ...none, files, decisions: ['one', 'two', 'One'] }, 10_000)
  expect(notes).toEqual({ ...none, files, decisions: ['two', 'One'] })
})

test('no notes, no text; a blank summary holds none', () => {
  const none = { ...listsBy(() => []), foreign: '' }
  expect(notesText(none)).toBe('')
  expect(notesOf(' \n')).toEqual(none)
  expect(notesOf()).toEqual(none)
})
