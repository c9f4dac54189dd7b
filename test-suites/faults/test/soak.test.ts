import { MemoryDriver, type SessionDriver } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { freshSeed } from '../src/random.ts'
import { type Backend, connect } from '../src/soak/connections.ts'
import { runSoak } from '../src/soak/soak.ts'
import {
  AppendsTwice,
  ComparesNothing,
  hidesCounts,
  hidesWriters,
  KeepsDeleted,
  LosesAppends,
} from './broken-drivers.ts'

const MEMORY = (): readonly SessionDriver[] => [new MemoryDriver()]

/** The short form of `npm run soak`. */
describe('soak', () => {
  for (const backend of ['memory', 'sqlite'] as Backend[]) {
    it(`${backend}: 2,000 items over bad connections, none lost, doubled or brought back`, async () => {
      const seed = freshSeed()
      const connections = await connect(backend)
      try {
        const report = await runSoak({ seed, items: 2_000, connections: connections.drivers })
        const { accused, violations, acknowledged, unknown, commits, faults } = report
        console.log(
          `soak ${backend}: seed ${seed}, acknowledged ${acknowledged}, unknown ${unknown}, commits ${commits}, faults ${JSON.stringify(faults)}`,
        )
        expect(
          violations,
          `npm run soak -- --seed ${seed} --items 2000 --driver ${backend}`,
        ).toEqual([])
        expect(accused).toEqual({ lost: 0, doubled: 0, resurrected: 0, disordered: 0, wrong: 0 })
        expect(acknowledged).toBeGreaterThanOrEqual(2_000)
        for (const kind of ['unsent', 'lost', 'late', 'false', 'slow', 'slow answer'] as const) {
          expect(faults[kind], kind).toBeGreaterThan(0)
        }
      } finally {
        connections.close()
      }
    })
  }

  it('does the same again for the same seed, and something else for another', async () => {
    const digests: string[] = []
    for (const seed of [11, 11, 12]) {
      digests.push((await runSoak({ seed, items: 500, connections: MEMORY() })).digest)
    }
    expect(digests[1]).toBe(digests[0])
    expect(digests[2]).not.toBe(digests[0])
  })

  it('finds nothing on a fault-free connection either', async () => {
    const report = await runSoak({ seed: 5, items: 500, connections: MEMORY(), rates: [0] })
    expect(report.violations).toEqual([])
    expect(report.unknown).toBe(0)
  })
})

/** A soak that cannot fail would show nothing. */
describe('a soak over a broken backend', () => {
  const accusedBy = async (driver: SessionDriver) =>
    (await runSoak({ seed: 3, items: 2_000, connections: [driver] })).accused

  it('that stores an append twice says doubled', async () => {
    expect((await accusedBy(hidesCounts(new AppendsTwice()))).doubled).toBeGreaterThan(0)
  })

  it('that drops acknowledged entries says lost', async () => {
    expect((await accusedBy(hidesCounts(new LosesAppends()))).lost).toBeGreaterThan(0)
  })

  it('that hides who committed says doubled: core cannot recognise its own commit', async () => {
    expect((await accusedBy(hidesWriters(new MemoryDriver()))).doubled).toBeGreaterThan(0)
  })

  it('that compares no revisions says that two writes were applied to one state', async () => {
    const { wrong } = await accusedBy(hidesCounts(new ComparesNothing()))
    expect(wrong).toBeGreaterThan(0)
  })

  it('that keeps deleted entries says resurrected', async () => {
    expect((await accusedBy(hidesCounts(new KeepsDeleted()))).resurrected).toBeGreaterThan(0)
  })

  it.each([
    ['stores an append twice', () => new AppendsTwice()],
    ['drops acknowledged entries', () => new LosesAppends()],
    ['keeps deleted entries', () => new KeepsDeleted()],
  ])('that %s is found out by core, which counts the entries', async (_, driver) => {
    await expect(accusedBy(driver())).rejects.toMatchObject({ code: 'CORRUPT' })
  })
})
