import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(
  (path) => existsSync(path),
)

export const hasPgBouncer = program !== undefined

export interface PgBouncer {
  readonly url: string
  readonly version: string
  stop(): Promise<void>
}

/** PgBouncer in transaction mode before the server at `url`, with few connections to it for many to share. */
export async function startPgBouncer(url: string): Promise<PgBouncer> {
  const { hostname, port, username } = new URL(url)
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-pgbouncer-'))
  const own = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = 3
ignore_startup_parameters = extra_float_digits
`,
  )
  writeFileSync(join(folder, 'users'), `"${username}" ""\n`)
  // It refuses to run as root.
  const as = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (as.uid !== undefined)
    for (const path of [folder, file, join(folder, 'users')]) chownSync(path, as.uid, as.gid)
  const child = spawn(program ?? '', ['-q', file], { ...as, cwd: folder, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String(own)
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: through.href })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      break
    } catch (error) {
      if (tries > 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const version =
    execFileSync(program ?? '', ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? ''
  return {
    url: through.href,
    version,
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
