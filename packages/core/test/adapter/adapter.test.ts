import { describe, expect, it } from 'vitest'
import {
  checkFlag,
  checkWhole,
  Late,
  loadPeer,
  retryWhile,
  storageSettings,
  within,
} from '../../src/adapter.ts'

const refused = { code: 'INVALID_ARGUMENT', outcome: 'not-committed' }

describe('loadPeer', () => {
  it('answers what it loaded', async () => {
    expect(await loadPeer(async () => 7, 'npm install seven')).toBe(7)
  })

  it.each(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED'])(
    'says how to install what is not there (%s)',
    async (code) => {
      const cause = Object.assign(new Error('not found'), { code })
      const loaded = loadPeer(() => Promise.reject(cause), 'npm install x')
      await expect(loaded).rejects.toMatchObject({ ...refused, cause })
      await expect(loaded).rejects.toThrow(/npm install x/)
    },
  )

  it('lets through why a package that is there fails', async () => {
    const cause = new Error('a broken build')
    await expect(loadPeer(() => Promise.reject(cause), 'npm install x')).rejects.toBe(cause)
    await expect(loadPeer(() => Promise.reject(undefined), 'npm install x')).rejects.toBe(undefined)
  })
})

describe('the settings of a storage', () => {
  it('have defaults', () => {
    const expected = { timeoutMs: 15_000, attempts: Infinity, encryption: undefined }
    expect(storageSettings({})).toEqual(expected)
    expect(storageSettings({ timeoutMs: undefined, attempts: undefined })).toEqual(expected)
    expect(storageSettings({ timeoutMs: 20, attempts: 3 })).toMatchObject({
      timeoutMs: 20,
      attempts: 3,
    })
  })

  it.each([
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { timeoutMs: '5' },
    { timeoutMs: 2 ** 31 },
    { attempts: 0 },
    { attempts: 1.5 },
    { attempts: null },
    { encryption: {} },
  ])('refuses %j', (settings) => {
    expect(() => storageSettings(settings as never)).toThrow(expect.objectContaining(refused))
  })
})

describe('an option', () => {
  it('is a flag, or refused', () => {
    checkFlag('setup', false)
    for (const value of [undefined, null, 0, 'yes']) {
      expect(() => checkFlag('setup', value)).toThrow(expect.objectContaining(refused))
    }
  })

  it('is a whole number in its range, or refused with the reason', () => {
    checkWhole('ttlMs', 10, [10, 20])
    checkWhole('ttlMs', 20, [10, 20])
    for (const value of [9, 21, 10.5, Number.NaN, '15', null]) {
      expect(() => checkWhole('ttlMs', value, [10, 20], 'it must last')).toThrow(
        /ttlMs must be a whole number from 10 to 20, got .*: it must last\./,
      )
    }
  })
})

describe('retryWhile', () => {
  it('tries again while what fails may pass', async () => {
    let tries = 0
    const work = async () => {
      if (++tries < 3) throw new Error('busy')
      return tries
    }
    expect(await retryWhile((error) => (error as Error).message === 'busy', work, [1, 2])).toBe(3)
  })

  it('lets through at once what may not', async () => {
    let tries = 0
    const cause = new Error('refused')
    const work = () => {
      tries++
      return Promise.reject(cause)
    }
    await expect(retryWhile(() => false, work, [1, 2])).rejects.toBe(cause)
    expect(tries).toBe(1)
  })
})

describe('within', () => {
  it('answers, or fails, as the work does', async () => {
    expect(await within(1_000, Promise.resolve(7))).toBe(7)
    const cause = new Error('refused')
    await expect(within(1_000, Promise.reject(cause))).rejects.toBe(cause)
  })

  it('gives up on what does not end', async () => {
    const late = within(5, new Promise(() => {}))
    await expect(late).rejects.toBeInstanceOf(Late)
    await expect(late).rejects.toMatchObject({
      name: 'TimeoutError',
      message: expect.stringContaining('within 5 ms'),
    })
  })
})
