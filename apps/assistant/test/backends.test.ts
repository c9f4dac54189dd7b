import { copySession, type Storage } from '@holdfast/core'
import { awsEnvironment, everyServer, type Service, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { openStorage } from '../src/open-storage.ts'
import { runApp, withStorage } from './app.ts'
import { temporaryFolder } from './temporary.ts'

const { describe, expect, test } = runner

/** What the program must be given, beside the URL, to reach a service. */
const environmentOf = (service: Service): NodeJS.ProcessEnv => ({
  HOLDFAST_URL: service.url,
  ...awsEnvironment(service),
})

/** Asks the program one thing; its answer, and how many items the session had before. */
async function ask(cwd: string, env: NodeJS.ProcessEnv, session: string, text: string) {
  const args = ['--json', '--once', text, '--session', session]
  const { code, stdout, stderr } = await runApp(args, { cwd, env })
  // The SDK for S3 warns on Node 20 that a later version of it will want a newer one.
  const said = stderr.replace(/^\(node:\d+\) Warning: NodeVersionSupportWarning[\s\S]*/, '')
  expect({ code, said }).toEqual({ code: 0, said: '' })
  return JSON.parse(stdout) as { text: string; status: string }
}

/** The storage of a service, opened in this process. */
async function opened<T>(service: Service, use: (storage: Storage) => Promise<T>): Promise<T> {
  const env = environmentOf(service)
  Object.assign(process.env, env)
  const storage = await openStorage(service.url)
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

for (const setup of Object.values(everyServer)) {
  const service = await useService<Service>(setup, runner)
  if (!service) continue
  describe(`the assistant on ${service.version} by HOLDFAST_URL alone`, () => {
    test('goes on with a session that another process began', async () => {
      const session = `chat-${crypto.randomUUID()}`
      const cwd = temporaryFolder()
      const env = environmentOf(service)
      expect((await ask(cwd, env, session, 'what is 1+1')).text).toBe('1+1 = 2')
      expect((await ask(cwd, env, session, 'what is 2*3')).text).toBe('2*3 = 6')
      const items = await opened(service, (storage) => storage.memory(session).getItems())
      // Two turns of: the question, the call, its output, the answer.
      expect(items.length).toBe(8)
    })

    test('goes on with a session that was begun on SQLite and copied', async () => {
      const session = `moved-${crypto.randomUUID()}`
      const cwd = temporaryFolder()
      await ask(cwd, {}, session, 'what is 1+1')
      const before = await withStorage(cwd, async (from) => {
        await opened(service, (to) => copySession(from, to, session))
        return from.memory(session).getItems()
      })
      expect((await ask(cwd, environmentOf(service), session, 'what is 2*3')).text).toBe('2*3 = 6')
      await opened(service, async (storage) => {
        const after = await storage.memory(session).getItems()
        expect(after.slice(0, before.length)).toEqual(before)
        expect(after.length).toBe(8)
        const record = await storage.sessions().load(session)
        expect(record?.events.filter(({ type }) => type === 'USER_INPUT').length).toBe(2)
      })
    })
  })
}

test('a session goes from SQLite over one storage to the next', async () => {
  const session = 'wanderer'
  const cwd = temporaryFolder()
  await ask(cwd, {}, session, 'what is 1+1')
  const pglite = `pglite:${temporaryFolder()}`
  const target = await openStorage(pglite)
  await withStorage(cwd, (from) => copySession(from, target, session))
  await target.close()
  expect((await ask(cwd, { HOLDFAST_URL: pglite }, session, 'what is 2*3')).text).toBe('2*3 = 6')
})

test.each([
  ['mysqlx://ada:secret-password@localhost/db', /mysqlx:, which is not known/],
  ['secret-password', /no scheme/],
])('refuses %j, and does not show it', async (url, message) => {
  const result = await runApp(['--once', 'x'], {
    cwd: temporaryFolder(),
    env: { HOLDFAST_URL: url },
  })
  expect(result.code).toBe(1)
  expect(result.stderr).toMatch(message)
  expect(result.stdout + result.stderr).not.toMatch(/secret-password/)
})
