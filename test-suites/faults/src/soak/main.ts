/**
 * `npm run soak -- [--seed N] [--items N] [--driver memory|sqlite|both]`: random sequences by many writers
 * over connections that lose, delay and falsify 30–50 % of what goes over them.
 */
import { parseArgs } from 'node:util'
import { freshSeed } from '../random.ts'
import { wholeNumber } from '../whole-number.ts'
import { type Backend, connect } from './connections.ts'
import { printReport } from './print-report.ts'
import { runSoak } from './soak.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    items: { type: 'string', default: '200000' },
    driver: { type: 'string', default: 'both' },
  },
})

const BACKENDS: Readonly<Record<string, readonly Backend[]>> = {
  memory: ['memory'],
  sqlite: ['sqlite'],
  both: ['memory', 'sqlite'],
}

const seed = values.seed === undefined ? freshSeed() : wholeNumber('seed', values.seed)
const total = wholeNumber('items', values.items)
const backends = BACKENDS[values.driver]
if (!backends) throw new Error(`--driver must be memory, sqlite or both, got ${values.driver}`)

const items = Math.ceil(total / backends.length)
console.log(`soak: ${total} acknowledged items over ${backends.join(' and ')}, seed ${seed}`)
console.log(`again: npm run soak -- --seed ${seed} --items ${total} --driver ${values.driver}`)

for (const backend of backends) {
  const connections = await connect(backend)
  const begin = process.hrtime.bigint()
  let shown = 0
  const report = await runSoak({
    seed,
    items,
    connections: connections.drivers,
    progress(acknowledged) {
      if (!process.stderr.isTTY || acknowledged < shown) return
      shown = acknowledged + 1_000
      process.stderr.write(`\r${backend}: ${acknowledged} of ${items} items`)
    },
  })
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  connections.close()
  const seconds = Number(process.hrtime.bigint() - begin) / 1e9
  printReport(backend, report, seconds)
  if (report.violations.length > 0) process.exitCode = 1
}
