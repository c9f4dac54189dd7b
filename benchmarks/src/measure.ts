import type { Engine } from './engine.ts'
import { type AppendResult, appends } from './scenarios/append.ts'
import type { Effort } from './scenarios/compared.ts'
import { type DiskResult, disk } from './scenarios/disk.ts'
import { type PageResult, page } from './scenarios/page.ts'
import { type ReadResult, unchangedRead } from './scenarios/read.ts'
import { type BothTraffics, traffic } from './scenarios/traffic.ts'

export interface EngineResults extends Pick<Engine, 'name' | 'version' | 'bareAppend' | 'goals'> {
  readonly append: AppendResult
  /** By items of the session; undefined where there is no wire. */
  readonly traffic: Readonly<Record<number, BothTraffics>> | undefined
  readonly read: ReadResult
  readonly page: PageResult
  readonly disk: DiskResult | undefined
}

/** Effort of each scenario. */
export interface Efforts {
  readonly append: Effort
  readonly read: Effort
  readonly page: Effort & { readonly fillMs: number }
}

/** All scenarios on one engine. */
export async function measure(
  open: () => Promise<Engine>,
  efforts: Efforts,
  say: (text: string) => void,
): Promise<EngineResults> {
  const engine = await open()
  const { name, version, bareAppend, goals } = engine
  try {
    if (engine.bytesOnDisk) say(`${name}: bytes on disk`)
    const onDisk = engine.bytesOnDisk && (await disk(engine.bytesOnDisk))
    say(`${name}: appends`)
    const append = await appends(engine, efforts.append)
    if (engine.wired) say(`${name}: traffic`)
    const counted = await traffic(engine)
    say(`${name}: read of an unchanged session`)
    const read = await unchangedRead(engine, efforts.read)
    say(`${name}: page of sessions`)
    const listed = await page(engine, efforts.page)
    return {
      ...{ name, version, bareAppend, goals },
      ...{ append, traffic: counted, read, page: listed, disk: onDisk },
    }
  } finally {
    await engine.close()
  }
}
