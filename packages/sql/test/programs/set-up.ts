// Opens a database, whose tables others are making at the same moment, and writes one session to it.
import { openSql } from '../../src/index.ts'

const [url = '', id = ''] = process.argv.slice(2)
const storage = await openSql(url)
await storage.memory(id).addUserInput(id)
await storage.close()
console.log('done')
