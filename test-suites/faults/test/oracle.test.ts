import { beforeEach, describe, expect, it } from 'vitest'
import { Oracle } from '../src/oracle/oracle.ts'
import { noCompressor } from '../src/soak/compressors.ts'
import { addPlan, clearPlan, deletePlan } from '../src/soak/plans.ts'

const CELL = 'm0:one'

/** Each accusation, by the smallest history that deserves it. */
describe('oracle', () => {
  let oracle: Oracle
  let commits: number

  beforeEach(() => {
    oracle = new Oracle()
    commits = 0
  })

  const begin = (number: number, ...texts: string[]) =>
    oracle.begin(
      addPlan(texts, () => [noCompressor]),
      { storage: 's', cell: CELL, writer: 1 },
      number,
    )

  function commit(change: {
    drop?: number
    entries?: string[]
    head?: object
    operation?: number
  }) {
    const { drop = 0, entries = [], head = {}, operation = commits } = change
    oracle.applied({
      id: CELL,
      storage: 's',
      expected: commits === 0 ? null : `r${commits}`,
      revision: `r${++commits}`,
      head: JSON.stringify({ w: ['w', operation], ...head }),
      drop,
      entries,
      candidates: oracle.candidates('s', CELL),
    })
  }

  const kinds = () => oracle.verdicts.violations.map(({ kind }) => kind)

  it('accepts an add, a clear and a deletion that were committed once', () => {
    const add = begin(0, '{"a":1}')
    commit({ entries: ['{"a":1}'] })
    oracle.acknowledge(add)
    const clear = oracle.begin(clearPlan, { storage: 's', cell: CELL, writer: 1 })
    commit({ drop: Number.POSITIVE_INFINITY })
    oracle.acknowledge(clear)
    const remove = oracle.begin(deletePlan({ deleted: true }), {
      storage: 's',
      cell: CELL,
      writer: 1,
    })
    commit({ drop: Number.POSITIVE_INFINITY, head: { d: 1 } })
    oracle.acknowledge(remove)
    oracle.close()
    expect(oracle.verdicts.violations).toEqual([])
  })

  it('an add that was acknowledged and never committed is lost', () => {
    oracle.acknowledge(begin(0, '{"a":1}'))
    expect(kinds()).toEqual(['lost'])
  })

  it('an item that vanishes without a call is lost', () => {
    const add = begin(0, '{"a":1}')
    commit({ entries: ['{"a":1}'] })
    oracle.acknowledge(add)
    commit({ drop: 1 })
    expect(kinds()).toContain('lost')
  })

  it('an add that is committed twice is doubled', () => {
    begin(0, '{"a":1}')
    commit({ entries: ['{"a":1}'] })
    commit({ entries: ['{"a":1}'], operation: 9 })
    expect(kinds()).toContain('doubled')
  })

  it('an operation of core that commits twice is doubled, even if it brings nothing', () => {
    oracle.begin(clearPlan, { storage: 's', cell: CELL, writer: 1 })
    oracle.begin(clearPlan, { storage: 's', cell: CELL, writer: 1 })
    commit({ operation: 5 })
    commit({ operation: 5 })
    expect(kinds()).toEqual(['doubled'])
  })

  it('an item that comes back after a clear is resurrected', () => {
    begin(0, '{"a":1}')
    commit({ entries: ['{"a":1}'] })
    oracle.begin(clearPlan, { storage: 's', cell: CELL, writer: 1 })
    commit({ drop: Number.POSITIVE_INFINITY })
    commit({ entries: ['{"a":1}'] })
    expect(kinds()).toContain('resurrected')
  })

  it('an earlier call that is committed after a later one of its writer is out of order', () => {
    begin(0, '{"a":1}')
    begin(1, '{"b":1}')
    commit({ entries: ['{"b":1}'] })
    commit({ entries: ['{"a":1}'] })
    expect(kinds()).toEqual(['disordered'])
  })

  it('a call that failed as not committed and was is wrong, and so is the other way round', () => {
    const kept = begin(0, '{"a":1}')
    commit({ entries: ['{"a":1}'] })
    oracle.fail(kept, 'not-committed', '')
    const gone = begin(1, '{"b":1}')
    oracle.fail(gone, 'committed', '')
    expect(kinds()).toEqual(['wrong', 'lost'])
  })

  it('a commit after the call had failed as not committed belongs to nobody', () => {
    const call = begin(0, '{"a":1}')
    const candidates = oracle.candidates('s', CELL)
    oracle.fail(call, 'not-committed', '')
    oracle.applied({
      id: CELL,
      storage: 's',
      expected: null,
      revision: 'r',
      head: '{"w":["w",1]}',
      drop: 0,
      entries: ['{"a":1}'],
      candidates,
    })
    expect(kinds()).toContain('wrong')
  })

  it('two commits on one state are wrong', () => {
    begin(0, '{"a":1}')
    commit({ entries: ['{"a":1}'] })
    commits = 0
    commit({ entries: ['{"a":1}'], operation: 9 })
    expect(kinds()).toEqual(['wrong'])
  })

  it('a read that shows what never was is found out, one of an older state since its call is not', () => {
    const watch = begin(0, '{"a":1}')
    commit({ entries: ['{"a":1}'] })
    oracle.shown(CELL, watch.start, { items: [], summary: undefined })
    expect(kinds()).toEqual([])
    oracle.shown(CELL, oracle.cell(CELL).now, { items: [], summary: undefined })
    expect(kinds()).toContain('lost')
  })
})
