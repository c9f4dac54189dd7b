import { invalid } from '@holdfast/core/adapter'

const FORM = "'mongodb://localhost:27017/agents'"

/** What is read from a URL here; all else is for the client. */
export interface MongodbUrl {
  readonly database: string
  /** Whether the URL sets this option of the client. */
  sets(option: string): boolean
}

/** What a URL holds is not shown in messages: it may be a password. */
export function parseUrl(url: unknown): MongodbUrl {
  if (typeof url !== 'string') {
    throw invalid(
      `openMongodb takes a URL as a string, such as ${FORM}, got ${url === null ? 'null' : typeof url}; for a database of a client call mongodbStorage(db).`,
    )
  }
  const parts = /^mongodb(?:\+srv)?:\/\/[^/?#]+(?:\/([^/?#]*))?(?:\?([^#]*))?$/s.exec(url)
  if (!parts) throw invalid(`The URL is not one of MongoDB: use the form ${FORM}.`)
  const [, name = '', query = ''] = parts
  const database = decoded(name)
  if (database === undefined || !/^[^\s/\\."$*<>:|?\0]{1,63}$/u.test(database)) {
    throw invalid(
      name === ''
        ? `The URL names no database: put its name behind the host, as in ${FORM}.`
        : 'The URL names a database of 1 to 63 characters, none of which may be a blank or one of / \\ . " $ * < > : | ?.',
    )
  }
  const set = new Set(query.split('&').map((pair) => pair.split('=')[0]?.toLowerCase()))
  return { database, sets: (option) => set.has(option.toLowerCase()) }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
