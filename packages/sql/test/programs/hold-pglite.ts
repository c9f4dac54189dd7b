// Opens a PGlite folder, stores one item, says so, and stays.
import { openSql } from '../../src/index.ts'

const [folder = '', stay = 'stay'] = process.argv.slice(2)
try {
  const storage = await openSql(`pglite:${folder}`)
  await storage.memory('kept').addUserInput('acknowledged')
  console.log('stored')
  if (stay === 'stay') setInterval(() => {}, 60_000)
} catch (error) {
  const { code, message } = error as { code?: string; message: string }
  console.log(code, message)
}
