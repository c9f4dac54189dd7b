import { tokensOf } from '../processes/tokens.ts'
import { targetOf } from '../targets/targets.ts'
import type { Trial } from './trial.ts'

/** What is stored of the session, as a process that starts now finds it. */
export async function storedTokens({ target, place, session }: Trial): Promise<string[]> {
  const storage = await targetOf(target).open(place)
  try {
    const { items } = await storage.memory(session).snapshot()
    return tokensOf(items.map((item) => JSON.stringify(item)))
  } finally {
    await storage.close()
  }
}
