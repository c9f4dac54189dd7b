import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { brokenDrivers } from '../broken/drivers/index.ts'
import { PlainDriver } from '../broken/drivers/plain-driver.ts'
import { type BoundCase, sessionDriverSuite } from '../src/index.ts'

/** A broken driver may keep a case waiting for ever; nothing right takes so long in memory. */
const PATIENCE_MS = 8_000

async function fails(current: BoundCase): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no verdict in time')), PATIENCE_MS)
  })
  try {
    await Promise.race([current.run(), late])
    return false
  } catch {
    return true
  } finally {
    clearTimeout(timer)
  }
}

const groups = ['driver', 'storage, plain']

/** Every case once: over the driver, or over core on the driver as it is. */
const casesOf = (connect: Parameters<typeof sessionDriverSuite>[0]['connect']): BoundCase[] =>
  sessionDriverSuite({ connect, seed: 1 }).cases.filter((it) => groups.includes(it.group))

describe('the driver that the broken ones are made from', () => {
  const cells = new Map()
  for (const current of casesOf(async () => ({
    driver: new PlainDriver(cells),
    close: async () => {},
  }))) {
    it(`passes ${current.id}`, () => current.run())
  }
})

describe(`${brokenDrivers.length} broken drivers`, () => {
  for (const driver of brokenDrivers) {
    it(`${driver.name}: rejected by ${driver.killedBy.join(', ')}`, async () => {
      const cases = casesOf(driver.make())
      const passed: string[] = []
      for (const id of driver.killedBy) {
        const named = cases.find((it) => it.id === id)
        assert.ok(named, `no case is called ${id}`)
        if (!(await fails(named))) passed.push(id)
      }
      assert.deepEqual(passed, [], 'these cases do not reject it')
    })
  }
})

// For people who change the suite: HOLDFAST_MATRIX=1 prints which driver cases reject which broken driver.
if (process.env['HOLDFAST_MATRIX']) {
  describe('all that reject each broken driver', () => {
    for (const driver of brokenDrivers) {
      it(driver.name, async () => {
        const dead: string[] = []
        for (const current of casesOf(driver.make())) {
          if (current.group === 'driver' && (await fails(current))) dead.push(current.id)
        }
        console.info(`${driver.name}: ${dead.join(', ')}`)
      }, 300_000)
    }
  })
}

describe('every case rejects a broken driver', () => {
  const named = new Set(brokenDrivers.flatMap((it) => it.killedBy))
  console.info(
    `${brokenDrivers.length} broken drivers, each rejected by its own of ${named.size} cases`,
  )
  for (const current of casesOf(async () => assert.fail('not opened'))) {
    it(current.id, () => {
      assert.ok(named.has(current.id), 'no broken driver dies of it: give it one, or remove it')
    })
  }
})
