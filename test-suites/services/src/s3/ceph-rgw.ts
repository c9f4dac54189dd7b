import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../process/find-program.ts'
import type { Launch } from '../process/launch.ts'
import { type Plan, startOwned } from '../process/owned-service.ts'
import { freePort } from '../process/ports.ts'
import { Stage } from '../process/stage.ts'
import type { ServiceSetup } from '../service.ts'
import { makeBucket } from './bucket.ts'
import { cephConf } from './ceph-conf.ts'
import { foundS3 } from './found-s3.ts'
import { type S3Service, s3Url, withCredentials } from './s3-service.ts'

const run = promisify(execFile)
const credentials = { accessKeyId: 'holdfast', secretAccessKey: 'holdfast-secret' }

/** Who may do what: one key ring for all of them. */
const ROLES = [
  ['mon.', 'mon', 'allow *'],
  ['client.admin', 'mon', 'allow *', 'osd', 'allow *', 'mgr', 'allow *'],
  ['client.rgw', 'mon', 'allow rw', 'osd', 'allow rwx', 'mgr', 'allow rw'],
  ['osd.0', 'mon', 'allow profile osd', 'osd', 'allow *', 'mgr', 'allow profile osd'],
] as const

function findAll() {
  return {
    authtool: findProgram('ceph-authtool'),
    monmaptool: findProgram('monmaptool'),
    ceph: findProgram('ceph'),
    mon: findProgram('ceph-mon'),
    osd: findProgram('ceph-osd'),
    admin: findProgram('radosgw-admin'),
    gateway: findProgram('radosgw'),
  }
}

type Programs = ReturnType<typeof findAll>

/** What runs once, as long as `done` is not set by it. */
function once(first: () => Promise<void>): () => Promise<void> {
  let done = false
  return async () => {
    if (!done) await first()
    done = true
  }
}

async function makeKeys(programs: Programs, keyring: string): Promise<void> {
  for (const [index, [name, ...caps]] of ROLES.entries()) {
    const allowed: string[] = []
    for (let i = 0; i < caps.length; i += 2) allowed.push('--cap', caps[i] ?? '', caps[i + 1] ?? '')
    const create = index === 0 ? ['--create-keyring'] : []
    await run(programs.authtool, [...create, keyring, '--gen-key', '-n', name, ...allowed])
  }
}

/** A monitor, a store in a file, which keeps its objects over a kill, and the gateway before them. */
async function plan(stage: Stage, programs: Programs): Promise<Plan> {
  const { folder } = stage
  for (const name of ['mon', 'osd', 'rgw', 'run', 'logs']) mkdirSync(join(folder, name))
  const [monitorPort, gatewayPort] = [await freePort(), await freePort()]
  const fsid = randomUUID()
  const conf = join(folder, 'ceph.conf')
  const keyring = join(folder, 'keyring')
  const monmap = join(folder, 'monmap')
  const url = s3Url('holdfast', gatewayPort)
  writeFileSync(conf, cephConf({ folder, fsid, monitorPort, gatewayPort }))
  await makeKeys(programs, keyring)
  const address = `[v2:127.0.0.1:${monitorPort}]`
  await run(programs.monmaptool, ['--create', '--fsid', fsid, '--addv', 'a', address, monmap])
  const map = ['--monmap', monmap, '--keyring', keyring]
  await run(programs.mon, ['-c', conf, '--mkfs', '-i', 'a', ...map])

  const ask = async (...args: readonly string[]) =>
    (await run(programs.ceph, ['-c', conf, '--connect-timeout', '5', ...args])).stdout
  const monitor: Launch = {
    name: 'ceph-mon',
    program: { command: programs.mon, args: ['-c', conf, '-f', '-i', 'a'] },
    ready: async () => {
      await ask('mon', 'stat')
    },
  }
  const store: Launch = {
    name: 'ceph-osd',
    before: once(async () => {
      const uuid = randomUUID()
      await ask('osd', 'new', uuid)
      await run(programs.osd, ['-c', conf, '-i', '0', '--mkfs', '--osd-uuid', uuid])
    }),
    program: { command: programs.osd, args: ['-c', conf, '-f', '-i', '0'] },
    ready: async () => {
      // Asked of itself: to the monitor, one that was killed counts as up until it is back, and a gateway
      // that is started meanwhile waits for the old one.
      const socket = join(folder, 'run', 'osd.0.asok')
      const { stdout } = await run(programs.ceph, ['--admin-daemon', socket, 'status'])
      if (!/"state": "active"/.test(stdout)) throw new Error('The store is not up.')
    },
  }
  const gateway: Launch = {
    name: 'radosgw',
    before: once(async () => {
      const { accessKeyId, secretAccessKey } = credentials
      const keys = ['--access-key', accessKeyId, '--secret-key', secretAccessKey]
      const as = ['-c', conf, '-n', 'client.rgw']
      const user = ['--uid=holdfast', '--display-name=holdfast']
      await run(programs.admin, [...as, 'user', 'create', ...user, ...keys])
    }),
    program: { command: programs.gateway, args: ['-c', conf, '-n', 'client.rgw', '-f'] },
    ready: () => makeBucket(url, credentials),
  }
  const version = async () => {
    const { stdout } = await run(programs.gateway, ['--version'])
    return `Ceph RGW ${/version (\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? ''}`
  }
  return { url, servers: [monitor, store, gateway], version }
}

async function start(): Promise<S3Service> {
  const programs = findAll()
  const service = await startOwned(
    () => new Stage('ceph'),
    (stage) => plan(stage, programs),
  )
  return withCredentials(service, credentials)
}

/** Ceph's S3 gateway, by the programs of Ceph. */
export const cephRgw: ServiceSetup<S3Service> = {
  name: 'Ceph RGW',
  variable: 'HOLDFAST_CEPH_URL',
  start,
  connect: foundS3,
}
