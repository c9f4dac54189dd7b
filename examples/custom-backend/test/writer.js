// One process of the race: WRITERS writers that each add STEPS entries to one session.
import { fileDriver } from '../src/file-driver.js'

const [root, id, process_, writers, steps] = process.argv.slice(2)
const driver = fileDriver(root)

await Promise.all(
  Array.from({ length: Number(writers) }, async (_, writer) => {
    for (let step = 0; step < Number(steps); ) {
      const current = await driver.read(id)
      const entry = JSON.stringify({ by: `${process_}.${writer}`, step })
      const revision = crypto.randomUUID()
      const next = { revision, head: '{}', entries: [...current.entries, entry] }
      if (await driver.replace(id, next, current)) {
        step++
        // Written once it is acknowledged: what a reader of the log may rely on after a kill.
        process.stdout.write(`${entry}\n`)
      } else {
        await new Promise((done) => setTimeout(done, Math.random() * 20))
      }
    }
  }),
)
