import { type AgentSessionSnapshot, type JsonObject, userMessage } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { sqlStorage } from '../src/index.ts'
import { sqliteEngine } from './support/engines.ts'

const session = (id: string): AgentSessionSnapshot => ({
  id,
  metadata: { createdAt: 1, updatedAt: 1, attributes: {} },
  memory: { items: ['1', '2', '3'].map(userMessage) },
  events: [1, 2, 3].map((sequence) => ({
    sequence,
    type: 'USER_INPUT',
    at: 1,
    payload: { items: [userMessage(`${sequence}`) as JsonObject] },
  })),
})

const OF = 'session = (SELECT session FROM holdfast_sessions WHERE id = $1)'
const losses: [string, string, number][] = [
  ['the first', `n = (SELECT min(n) FROM holdfast_entries WHERE ${OF})`, 2],
  ['one in the middle', `n = (SELECT min(n) + 1 FROM holdfast_entries WHERE ${OF})`, 2],
  ['the last', `n = (SELECT max(n) FROM holdfast_entries WHERE ${OF})`, 2],
  ['all', '$1 IS NOT NULL', 0],
]

describe('entry rows of SQLite that somebody deleted', () => {
  for (const [which, where, left] of losses) {
    it(`(${which}) make a session and a memory CORRUPT, which can be deleted; others stay readable`, async () => {
      const { db, query, close } = sqliteEngine()
      const filled = await sqlStorage(db)
      for (const id of ['a', 'b']) {
        await filled.sessions().save(session(id))
        for (const word of ['1', '2', '3']) await filled.memory(id).addUserInput(word)
      }
      for (const id of ['s0:a', 'm0:a']) {
        await query(`DELETE FROM holdfast_entries WHERE ${OF} AND ${where}`, id, id)
      }

      const storage = await sqlStorage(db)
      const lost = (id: string) => ({
        code: 'CORRUPT',
        message: expect.stringContaining(`"${id}" holds ${left} entries instead of 3`),
      })
      await expect(storage.sessions().load('a')).rejects.toMatchObject(lost('s0:a'))
      await expect(storage.memory('a').snapshot()).rejects.toMatchObject(lost('m0:a'))
      await expect(storage.memory('a').addUserInput('4')).rejects.toMatchObject(lost('m0:a'))
      expect((await storage.sessions().load('b'))?.events).toHaveLength(3)
      expect((await storage.memory('b').snapshot()).items).toHaveLength(3)
      expect(await storage.sessions().delete('a')).toBe(true)
      expect(await storage.deleteMemory('a')).toBe(true)
      await storage.sessions().save(session('a'))
      expect(await storage.sessions().load('a')).toMatchObject(session('a'))
      await close()
    })
  }
})
