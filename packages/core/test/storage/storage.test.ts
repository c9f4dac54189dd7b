import { describe, expect, it } from 'vitest'
import { aesGcm } from '../../src/encryption.ts'
import { createStorage, MemoryDriver, type SessionDriver, type Storage } from '../../src/index.ts'
import { texts } from '../texts.ts'

const INVALID = expect.objectContaining({ code: 'INVALID_ARGUMENT' })
const wrong = (value: unknown) => value as never

describe('createStorage refuses', () => {
  const driver = new MemoryDriver()
  const cases: [string, () => unknown][] = [
    ['no driver', () => createStorage(wrong(undefined))],
    ['a driver without list', () => createStorage(wrong({ read() {}, replace() {} }))],
    [
      'a driver whose append is no function',
      () => createStorage(wrong({ read() {}, replace() {}, list() {}, append: 5 })),
    ],
    ['options that are no object', () => createStorage(driver, wrong(5))],
    ['a misspelt option', () => createStorage(driver, wrong({ encyption: {} }))],
    [
      'a misspelt option of a memory',
      () => createStorage(driver).memory('a', wrong({ compresor: {} })),
    ],
    ['timeoutMs 0', () => createStorage(driver, { timeoutMs: 0 })],
    ['timeoutMs NaN', () => createStorage(driver, { timeoutMs: Number.NaN })],
    ['timeoutMs beyond a timer', () => createStorage(driver, { timeoutMs: 2 ** 31 })],
    ['timeoutMs as text', () => createStorage(driver, { timeoutMs: wrong('5') })],
    ['attempts 0', () => createStorage(driver, { attempts: 0 })],
    ['attempts 1.5', () => createStorage(driver, { attempts: 1.5 })],
    [
      'encryption without decrypt',
      () => createStorage(driver, { encryption: wrong({ encrypt() {} }) }),
    ],
    ['close that is no function', () => createStorage(driver, { close: wrong('x') })],
  ]
  for (const [name, run] of cases) it(name, () => expect(run).toThrow(INVALID))
})

describe('ids', () => {
  const storage = createStorage(new MemoryDriver())
  const bad = ['', ' ', '\n', 'a\u0000b', 'a\u0085', '\ud800', 'x'.repeat(256), 'ü'.repeat(128)]
  for (const id of [...bad, wrong(null), wrong(5), wrong(['a'])]) {
    it(`refuses ${JSON.stringify(id).slice(0, 20)}`, async () => {
      expect(() => storage.memory(id)).toThrow(INVALID)
      expect(() => storage.scope(id)).toThrow(INVALID)
      await expect(storage.deleteMemory(id)).rejects.toThrow(INVALID)
    })
  }

  it('takes the longest id', async () => {
    await storage.memory('x'.repeat(255)).addUserInput('1')
    await storage.memory('ü'.repeat(127)).addUserInput('1')
  })

  it('refuses scopes nested nine deep and ids over 400 bytes with their scopes', () => {
    let scope = storage.scope('1')
    for (let depth = 2; depth <= 8; depth++) scope = scope.scope(String(depth))
    expect(() => scope.scope('9')).toThrow(INVALID)
    expect(() => storage.scope('s'.repeat(200)).memory('x'.repeat(200))).toThrow(INVALID)
    // A colon takes two bytes in a scope.
    expect(() => storage.scope(':'.repeat(150)).memory('x'.repeat(120))).toThrow(INVALID)
  })
})

describe('scopes', () => {
  it('never see each other, whatever they are called', async () => {
    const storage = createStorage(new MemoryDriver())
    const names = [
      'acme',
      'acme-corp',
      'acme:x',
      'acme~1x',
      'acme~',
      'ACME',
      'm',
      ':',
      '~',
      '~0',
      '*',
    ]
    const scopes = [
      storage,
      ...names.map((name) => storage.scope(name)),
      ...names.map((name) => storage.scope('acme').scope(name)),
      storage.scope('a:b').scope('c'),
      storage.scope('a').scope('b:c'),
      storage.scope('a').scope('b').scope('c'),
    ]
    for (const [index, scope] of scopes.entries()) {
      for (const id of ['x', 'acme:x', `own-${index}`]) {
        await scope.memory(id).addUserInput(`${index}`)
      }
    }
    for (const [index, scope] of scopes.entries()) {
      expect(texts(await scope.memory('x').getItems())).toEqual([`${index}`])
      const { memories } = await scope.listMemories()
      expect(memories.map(({ id }) => id)).toEqual(['acme:x', `own-${index}`, 'x'])
    }
  })

  it('deleteAll takes nested scopes along and nothing else', async () => {
    const storage = createStorage(new MemoryDriver())
    const acme = storage.scope('acme')
    await acme.memory('1').addUserInput('x')
    await acme.memory('2').addUserInput('x')
    await acme.scope('team').memory('3').addUserInput('x')
    await storage.scope('acme-corp').memory('4').addUserInput('x')
    await storage.memory('5').addUserInput('x')
    expect(await acme.deleteAll()).toBe(3)
    expect(await acme.deleteAll()).toBe(0)
    expect((await storage.scope('acme-corp').listMemories()).memories).toHaveLength(1)
    expect(await storage.deleteAll()).toBe(2)
  })
})

describe('listMemories', () => {
  it('pages by cursor over more than one page of the driver, deleted ones left out', async () => {
    const driver = new MemoryDriver()
    const storage = createStorage(driver)
    const ids = Array.from({ length: 1_203 }, (_, index) => `s${String(index).padStart(5, '0')}`)
    for (const id of ids) await storage.memory(id).addUserInput('x')
    for (const id of ids.slice(0, 600)) await storage.deleteMemory(id)
    const seen: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await storage.listMemories({ after, limit: 100 })
      seen.push(...page.memories.map(({ id }) => id))
      if (page.next === undefined) break
      after = page.next
    }
    expect(seen).toEqual(ids.slice(600))
    expect((await storage.listMemories({ limit: 603 })).next).toBeUndefined()
    expect((await storage.listMemories({ limit: 602 })).next).toBe(ids[1_201])
    const [first] = (await storage.listMemories({ limit: 1 })).memories
    expect(first?.updatedAt).toBeGreaterThan(1_700_000_000_000)
  })

  it('orders by UTF-8 bytes, not by UTF-16 units', async () => {
    const storage = createStorage(new MemoryDriver())
    for (const id of ['😀', '\uffee', 'z', 'a', 'Z', 'é', '10', '9']) {
      await storage.memory(id).addUserInput('x')
    }
    const { memories } = await storage.listMemories()
    expect(memories.map(({ id }) => id)).toEqual(['10', '9', 'Z', 'a', 'z', 'é', '\uffee', '😀'])
  })

  for (const query of [{ limit: 0 }, { limit: 1_001 }, { limit: 1.5 }, { after: '' }, 5, null]) {
    it(`refuses ${JSON.stringify(query)}`, async () => {
      const storage = createStorage(new MemoryDriver())
      await expect(storage.listMemories(wrong(query))).rejects.toThrow(INVALID)
    })
  }
})

describe('purge', () => {
  it('removes old tombstones where the driver can, and says how many stay', async () => {
    const driver = new MemoryDriver()
    const storage = createStorage(driver)
    await storage.memory('live').addUserInput('x')
    for (const id of ['old', 'young']) {
      await storage.memory(id).addUserInput('x')
      await storage.deleteMemory(id)
    }
    await storage.scope('t').memory('old').addUserInput('x')
    await storage.scope('t').deleteAll()
    await age(driver, 'm0:old', 700_000)
    await age(driver, 'm1:t:old', 8 * 86_400_000)
    expect(await storage.purge()).toEqual({ removed: 1, kept: 2, swept: 0 })
    expect(await storage.purge({ olderThanMs: 600_000 })).toEqual({ removed: 1, kept: 1, swept: 0 })
    expect((await driver.list({ limit: 9 })).map(({ id }) => id)).toEqual(['m0:live', 'm0:young'])
  })

  it('keeps all where the driver cannot delete', async () => {
    const driver = new MemoryDriver()
    const storage = createStorage(Object.assign(driver, { delete: undefined }) as SessionDriver)
    await storage.memory('a').addUserInput('x')
    await storage.deleteMemory('a')
    await age(driver, 'm0:a', 8 * 86_400_000)
    expect(await storage.purge()).toEqual({ removed: 0, kept: 1, swept: 0 })
  })

  for (const options of [
    { olderThanMs: 599_999 },
    { olderThanMs: Number.NaN },
    { olderThanMs: '9' },
    5,
  ]) {
    it(`refuses ${JSON.stringify(options)}`, async () => {
      await expect(createStorage(new MemoryDriver()).purge(wrong(options))).rejects.toThrow(INVALID)
    })
  }
})

async function age(driver: MemoryDriver, id: string, ms: number): Promise<void> {
  const stored = await driver.read(id)
  if (!stored || stored === 'unchanged') throw new Error(`${id} is not stored`)
  const head = JSON.stringify({ ...JSON.parse(stored.head), t: Date.now() - ms })
  await driver.replace(id, { ...stored, revision: `${stored.revision}x`, head }, stored)
}

describe('close', () => {
  it('lets what is under way end, runs the hook once, and refuses later calls of every scope', async () => {
    let closed = 0
    const storage: Storage = createStorage(new MemoryDriver(), { close: () => void closed++ })
    const memory = storage.scope('t').memory('a')
    const pending = memory.addUserInput('x')
    await Promise.all([storage.close(), storage.close()])
    await pending
    expect(closed).toBe(1)
    const CLOSED = { code: 'CLOSED' }
    await expect(memory.addUserInput('y')).rejects.toMatchObject({
      ...CLOSED,
      outcome: 'not-committed',
    })
    await expect(memory.getItems()).rejects.toMatchObject(CLOSED)
    await expect(memory.delete()).rejects.toMatchObject(CLOSED)
    await expect(storage.listMemories()).rejects.toMatchObject(CLOSED)
    await expect(storage.purge()).rejects.toMatchObject(CLOSED)
    await expect(storage.deleteAll()).rejects.toMatchObject(CLOSED)
  })
})

describe('what cannot be read', () => {
  const broken = async (change: { head?: string; entries?: string[] }) => {
    const driver = new MemoryDriver()
    await createStorage(driver).memory('a').addUserInput('x')
    await createStorage(driver).memory('b').addUserInput('y')
    const stored = await driver.read('m0:a')
    if (!stored || stored === 'unchanged') throw new Error('not stored')
    await driver.replace('m0:a', { ...stored, revision: 'broken', ...change }, stored)
    return createStorage(driver)
  }
  const entry = JSON.stringify({ type: 'message' })
  const part = (index: number, count: number) => JSON.stringify(['part', index, count, '{}'])
  const heads = ['', 'null', '[]', '{}', '{"v":1,"n":"1"}', '{"v":1,"n":1,"w":[],"c":"","l":5}']
  const entries: [string, string[], number][] = [
    ['no JSON', [entry, '{"type":'], 1],
    ['a bare value', ['5'], 0],
    ['null', ['null'], 0],
    ['a part without its beginning', [part(1, 2)], 0],
    ['a part without its end', [entry, part(0, 2)], 2],
    ['a part cut short', [part(0, 2), entry], 1],
    ['a part without text', [JSON.stringify(['part', 0, 1])], 0],
    ['a summary that is no text', [entry, JSON.stringify(['summary', 5])], 1],
    ['an encrypted entry', [JSON.stringify(['encrypted', 'x'])], 0],
  ]
  for (const head of heads) {
    it(`is CORRUPT, does not hide others and can be deleted: head ${head}`, async () => {
      await isCorrupt(await broken({ head }))
    })
  }
  for (const [name, list, at] of entries) {
    it(`is CORRUPT and names the entry: ${name}`, async () => {
      const storage = await broken({ entries: list })
      await expect(storage.memory('a').getItems()).rejects.toThrow(`Entry ${at} of "m0:a"`)
      await isCorrupt(storage)
    })
  }

  it('a newer format is UNSUPPORTED', async () => {
    const storage = await broken({ head: '{"v":2}' })
    await expect(storage.memory('a').getItems()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })

  async function isCorrupt(storage: Storage) {
    const memory = storage.memory('a')
    await expect(memory.getItems()).rejects.toMatchObject({ code: 'CORRUPT' })
    await expect(memory.addUserInput('z')).rejects.toMatchObject({
      code: 'CORRUPT',
      outcome: 'not-committed',
    })
    expect(texts(await storage.memory('b').getItems())).toEqual(['y'])
    expect((await storage.listMemories()).memories.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(await memory.delete()).toBe(true)
    await memory.addUserInput('again')
    expect(texts(await memory.getItems())).toEqual(['again'])
  }
})

describe('encryption', () => {
  const key = new Uint8Array(32).fill(7)

  it('stores nothing readable and reads it back, long texts included', async () => {
    const driver = new MemoryDriver()
    const storage = createStorage(driver, { encryption: aesGcm(key) })
    const memory = storage.memory('a')
    const long = `${'€'.repeat(300_000)}\ud83d`
    await memory.addUserInput('secret')
    await memory.addUserInput(long)
    await memory.setSummary('hidden')
    const stored = await driver.read('m0:a')
    if (!stored || stored === 'unchanged') throw new Error('not stored')
    expect(JSON.stringify(stored)).not.toMatch(/secret|hidden/)
    for (const text of stored.entries)
      expect(new TextEncoder().encode(text).length).toBeLessThan(2 ** 20)
    const again = createStorage(driver, { encryption: aesGcm(key) }).memory('a')
    expect(texts((await again.snapshot()).items)).toEqual(['secret', long])
    expect(await again.getSummary()).toBe('hidden')
  })

  it('is CORRUPT with another key, without the key, in another cell, and for plain entries', async () => {
    const driver = new MemoryDriver()
    await createStorage(driver, { encryption: aesGcm(key) })
      .memory('a')
      .addUserInput('x')
    await createStorage(driver).memory('plain').addUserInput('x')
    const stored = await driver.read('m0:a')
    if (!stored || stored === 'unchanged') throw new Error('not stored')
    await driver.replace('m0:b', stored, null)
    const other = createStorage(driver, { encryption: aesGcm(new Uint8Array(16)) })
    const same = createStorage(driver, { encryption: aesGcm(key) })
    for (const memory of [
      other.memory('a'),
      createStorage(driver).memory('a'),
      same.memory('b'),
      same.memory('plain'),
    ]) {
      await expect(memory.getItems()).rejects.toMatchObject({ code: 'CORRUPT' })
    }
  })

  it('that fails leaves nothing written', async () => {
    const driver = new MemoryDriver()
    const encryption = { encrypt: () => Promise.reject(new Error('no key')), decrypt: () => '' }
    const memory = createStorage(driver, { encryption }).memory('a')
    await expect(memory.addUserInput('x')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      outcome: 'not-committed',
    })
    expect(await driver.read('m0:a')).toBeNull()
  })

  it('that answers no text, or too long a text, is refused before anything is written', async () => {
    for (const answer of [undefined, 5, new Uint8Array(3), 'x'.repeat(2 ** 20)]) {
      const driver = new MemoryDriver()
      const encryption = { encrypt: () => answer as never, decrypt: (text: string) => text }
      const memory = createStorage(driver, { encryption }).memory('a')
      await expect(memory.addUserInput('x')).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        outcome: 'not-committed',
      })
      expect(await driver.read('m0:a')).toBeNull()
    }
  })

  it('whose keys are out of reach is STORAGE_FAILED, not CORRUPT', async () => {
    const driver = new MemoryDriver()
    let down = false
    const encryption = {
      encrypt: (text: string) => text,
      decrypt: async (text: string) => {
        if (down) throw new Error('503')
        return text
      },
    }
    await createStorage(driver, { encryption }).memory('a').addUserInput('x')
    const memory = createStorage(driver, { encryption }).memory('a')
    down = true
    await expect(memory.getItems()).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    down = false
    expect(texts(await memory.getItems())).toEqual(['x'])
  })

  it('that hangs ends after the timeout', async () => {
    const encryption = { encrypt: () => new Promise<string>(() => {}), decrypt: () => '' }
    const storage = createStorage(new MemoryDriver(), { encryption, timeoutMs: 20 })
    await expect(storage.memory('a').addUserInput('x')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      outcome: 'not-committed',
    })
    await storage.close()
  })

  it('refuses a wrong key without quoting it', async () => {
    const hmac = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    for (const bad of [new Uint8Array(5), 'key', undefined, hmac]) {
      expect(() => aesGcm(wrong(bad))).toThrow(INVALID)
      expect(() => aesGcm(wrong(bad))).not.toThrow('"key"')
    }
    const good = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
      'encrypt',
      'decrypt',
    ])
    const encryption = aesGcm(good)
    expect(await encryption.decrypt(await encryption.encrypt('ü', 'c'), 'c')).toBe('ü')
  })
})
