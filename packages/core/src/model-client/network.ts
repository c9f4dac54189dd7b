import { isRecord } from '../json.ts'
import { textOf } from './values.ts'

/** A connection that failed, in the words of Node, undici and node-fetch, and of Bun. */
const NETWORK =
  /^(E(?!RR_)[A-Z_]+|ERR_(STREAM|HTTP2|SOCKET)_\w+|UND_ERR_(?!INVALID|NOT_SUPPORTED)\w+|HPE_\w+|Connection[A-Z]\w+)$/

/** How `fetch` says so, where it has no code. */
const FETCH = /^(fetch failed|terminated|failed to fetch|load failed|network ?error)/i

/** A URL that is none, a key that no header can carry: the next request would fail alike. */
const SETUP = /^(ERR_INVALID_|UND_ERR_INVALID|UND_ERR_NOT_SUPPORTED)[A-Z_]*$/
const SETUP_WORDS =
  /^(unknown scheme|bad port|invalid url|only (http|absolute))|bytestring|(invalid|legal http) header/i

/** True where the network failed, or took too long. */
export const isNetwork = (error: unknown): boolean =>
  chain(error).some((one) => NETWORK.test(codeIn(one)) || FETCH.test(textOf(one['message']))) &&
  !isSetup(error)

/** True where the request could not be made from what the client was given. */
export const isSetup = (error: unknown): boolean =>
  chain(error).some((one) => SETUP.test(codeIn(one)) || SETUP_WORDS.test(textOf(one['message'])))

/** The code of the platform's error, however deep it lies; an endpoint has no part in it. */
export const platformCode = (error: unknown): string | undefined =>
  chain(error)
    .map(codeIn)
    .find((code) => NETWORK.test(code) || SETUP.test(code))

const codeIn = (error: Record<string, unknown>): string => textOf(error['code'])

/** An error and its causes; a few, since they may go in a circle. */
function chain(error: unknown): Record<string, unknown>[] {
  const errors: Record<string, unknown>[] = []
  for (let one = error; isRecord(one) && errors.length < 5; one = one['cause']) errors.push(one)
  return errors
}
