import { HoldfastError } from '@holdfast/core'
import { type Bucket, type Condition, statusOf } from './bucket.ts'
import type { Dialect } from './object-store.ts'

const RACERS = 8
/** How often a race that nobody won is run again: AWS answers 409 to conditional writes that meet. */
const ROUNDS = 5

/**
 * Finds out how the server wants its conditions, on an object of its own below `start`, which it removes.
 * `UNSUPPORTED`: conditions are not honoured, so that two writers would both succeed.
 */
export async function probe(bucket: Bucket, start: string): Promise<Dialect> {
  const key = start + crypto.randomUUID()
  const remove = () => bucket.remove(key)
  let dialect: Dialect
  try {
    const created = await race(bucket, key, 'If-None-Match', { ifNoneMatch: '*' })
    const { etagQuotes, etag } = await findSpelling(bucket, key, created)
    const spelled = spelling(etagQuotes)
    const last = await race(bucket, key, 'If-Match', { ifMatch: spelled(etag) })
    await refusesAbsent(bucket, `${key}x`, spelled(last))
    const conditionalDelete = await deletesConditionally(bucket, key, spelled, etag, last)
    dialect = { etagQuotes, conditionalDelete }
  } catch (error) {
    // What was found out must not be hidden by what cleaning up meets.
    await remove().catch(() => {})
    throw error
  }
  await remove()
  return dialect
}

const spelling = (quotes: boolean) => (etag: string) => (quotes ? etag : etag.replaceAll('"', ''))

/** Writers at once, each with its own text: exactly one may succeed. Answers its tag. */
async function race(
  bucket: Bucket,
  key: string,
  header: string,
  condition: Condition,
): Promise<string> {
  for (let round = 0; round < ROUNDS; round++) {
    const texts = Array.from({ length: RACERS }, () => `${header} ${crypto.randomUUID()}`)
    const answers = await Promise.all(
      texts.map((text) => bucket.put(key, text, condition).catch(lostRace)),
    )
    const [winner, ...others] = answers.filter((etag) => etag !== false)
    if (others.length > 0) {
      throw unsupported(
        `${others.length + 1} of ${RACERS} writers at once succeeded under ${header}`,
      )
    }
    if (winner) return winner
    const etag = await storedAs(bucket, key, texts)
    if (etag !== undefined) return etag
  }
  throw unsupported(`none of ${ROUNDS * RACERS} writers succeeded under ${header}`)
}

/** The client itself sends again, and answers 412 for its own success: the object tells. */
async function storedAs(
  bucket: Bucket,
  key: string,
  texts: readonly string[],
): Promise<string | undefined> {
  const found = await bucket.get(key)
  return found && found !== 'unchanged' && texts.includes(found.text) ? found.etag : undefined
}

function lostRace(error: unknown): false {
  if (statusOf(error) === 409) return false
  throw error
}

async function findSpelling(bucket: Bucket, key: string, etag: string) {
  for (const etagQuotes of [true, false]) {
    const text = `spelling ${crypto.randomUUID()}`
    const written = await bucket.put(key, text, { ifMatch: spelling(etagQuotes)(etag) })
    const next = written || (await storedAs(bucket, key, [text]))
    if (next) return { etagQuotes, etag: next }
  }
  throw unsupported('it refuses If-Match with the ETag that it gave, with quotes and without')
}

async function refusesAbsent(bucket: Bucket, key: string, etag: string): Promise<void> {
  if (!(await bucket.put(key, 'absent', { ifMatch: etag }))) return
  await bucket.remove(key).catch(() => {})
  throw unsupported('it creates an object under If-Match')
}

/** A stale condition must keep the object, and the right one remove it. */
async function deletesConditionally(
  bucket: Bucket,
  key: string,
  spelled: (etag: string) => string,
  stale: string,
  etag: string,
): Promise<boolean> {
  try {
    if (await bucket.remove(key, spelled(stale))) return false
    if (!(await bucket.get(key))) return false
    await bucket.remove(key, spelled(etag))
    return (await bucket.get(key)) === undefined
  } catch (error) {
    // It does not know the header: 400, 501.
    if (statusOf(error) === 400 || statusOf(error) === 501) return false
    throw error
  }
}

const unsupported = (what: string) =>
  new HoldfastError(
    'UNSUPPORTED',
    `This server does not honour conditional writes, on which every guarantee stands: ${what}. Use one that does.`,
  )
