// Opens a URL and prints the error's code and message.
import { openSql } from '../../src/index.ts'

const [url = ''] = process.argv.slice(2)
try {
  await openSql(url)
  console.log('opened')
} catch (error) {
  const { code, message } = error as { code?: string; message: string }
  console.log(code, message)
}
