// Opens SQLite by its URL on a Node without better-sqlite3 beside it, and goes on with what is stored.
import { openSql } from '../../src/index.ts'

const [url = ''] = process.argv.slice(2)
for (const text of ['one', 'two']) {
  const storage = await openSql(url)
  await storage.memory('a').addUserInput(text)
  if (text === 'two') console.log(JSON.stringify(await storage.memory('a').getItems()))
  await storage.close()
}
