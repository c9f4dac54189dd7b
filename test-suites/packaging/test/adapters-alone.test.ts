import { join } from 'node:path'
import {
  awsEnvironment,
  mongodbReplicaSet,
  redis,
  type Service,
  useService,
  versitygw,
} from '@holdfast/services'
import * as runner from 'vitest'
import { runOk } from '../src/command.ts'
import { nodeTypes, resolutions, typeErrors } from '../src/consumer.ts'
import { installedPackages, kilobytes, sizeOf } from '../src/installed.ts'
import { installedVersion, pack } from '../src/npm.ts'
import { installOrSkip, project } from '../src/project.ts'
import { workspaceOf } from '../src/repository.ts'
import { remove, temporaryFolder, writeFiles } from '../src/temporary.ts'

const { afterAll, beforeAll, describe, expect, it } = runner

const parent = temporaryFolder()
afterAll(() => remove(parent))

let core: string
beforeAll(async () => {
  core = await pack(workspaceOf('@holdfast/core'), join(parent, 'tarballs'))
})

const adapters = [
  { name: 'redis', open: 'openRedis', client: 'ioredis', setup: redis },
  { name: 'mongodb', open: 'openMongodb', client: 'mongodb', setup: mongodbReplicaSet },
  { name: 's3', open: 'openS3', client: '@aws-sdk/client-s3', setup: versitygw },
] as const

const program = (open: string) => `
async function main() {
  const storage = await ${open}(process.env['STORAGE_URL'] ?? '')
  const id = 'packed-' + crypto.randomUUID()
  await storage.memory(id).addUserInput('kept')
  const items = await storage.memory(id).getItems()
  await storage.deleteMemory(id)
  await storage.close()
  console.log('items', items.length)
}
main()
`

const environmentOf = (service: Service) => ({
  ...process.env,
  STORAGE_URL: service.url,
  ...awsEnvironment(service),
})

for (const { name, open, client, setup } of adapters) {
  const service = await useService(setup, runner)

  describe(`core and ${name} in an empty project`, () => {
    let folder: string
    let skipped: string | undefined
    let before: string[]

    beforeAll(async () => {
      folder = project(parent, name)
      skipped = await installOrSkip(undefined, folder, `${client}@${installedVersion(client)}`)
      if (skipped) return
      before = installedPackages(folder)
      const adapter = await pack(workspaceOf(`@holdfast/${name}`), join(parent, 'tarballs'))
      skipped = await installOrSkip(undefined, folder, core, adapter)
    })

    it('brings nothing but its client', (context) => {
      if (skipped) return context.skip(skipped)
      const brought = installedPackages(folder).filter((one) => !before.includes(one))
      expect(brought).toEqual(['@holdfast/core', `@holdfast/${name}`])
      const ours = sizeOf(join(folder, 'node_modules/@holdfast'))
      const all = sizeOf(join(folder, 'node_modules'))
      console.log(
        `installed size, core + ${name}: ${kilobytes(ours)} of ours, ${kilobytes(all)} with ${client}`,
      )
    })

    it('works as ESM and as CommonJS', async (context) => {
      if (skipped) return context.skip(skipped)
      if (!service) return context.skip(`there is no ${setup.name}`)
      writeFiles(folder, {
        'esm.mjs': `import { ${open} } from '@holdfast/${name}'\n${program(open)}`,
        'commonjs.cjs': `const { ${open} } = require('@holdfast/${name}')\n${program(open)}`,
      })
      for (const file of ['esm.mjs', 'commonjs.cjs']) {
        const { stdout } = await runOk(process.execPath, [file], {
          cwd: folder,
          env: environmentOf(service),
        })
        expect(stdout.trim()).toBe('items 1')
      }
    })

    it.each(resolutions)('type-checks under $name', async ({ options }) => {
      if (skipped) return
      const source = `import { ${open} } from '@holdfast/${name}'\n${program(open)}`
      const found = await typeErrors(
        folder,
        { 'main.mts': source, 'main.cts': source },
        { ...nodeTypes, ...options, lib: ['es2022'], skipLibCheck: false },
      )
      expect(found).toBe('')
    })
  })
}
