import { createHash, randomUUID } from 'node:crypto'
import { access, constants, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'

/** How long to wait for others that are trying too, in ms. A holder is recognised at once. */
const PATIENCE_MS = 10_000
/** A socket's address has at most 104 bytes on macOS and 108 on Linux, whatever a path may have. */
const LONGEST_ADDRESS = 100
const HELD = '.held'
/** What file systems without sockets answer (network mounts, shared folders of virtual machines). */
const NO_SOCKETS = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EACCES', 'EINVAL', 'ENOSYS'])

export type Lock = { readonly release: () => Promise<void> } | { readonly heldBy: string }

/**
 * Claims a folder for this process, or answers the process id of who has it.
 *
 * Each contender listens on a socket of its own, of a name never used again, and holds the lock if it
 * then sees no other one alive; of two contenders the later one always sees the earlier one, so there
 * are never two holders, and both step back and try again if each saw the other. The kernel answers
 * for a process: a socket refuses connections from the moment its process is gone, however it went and
 * whoever has its process id now, and accepts them while the process is merely busy or stopped.
 */
export async function lockFolder(folder: string): Promise<Lock> {
  if (process.platform === 'win32') return lockPipe(folder)
  const place = join(folder, '.holdfast-lock')
  try {
    return await contend(place)
  } catch (error) {
    if (!NO_SOCKETS.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    // Where this process may not write, others may hold the lock: going elsewhere would pass them by.
    await access(place, constants.W_OK)
    return contend(elsewhere(folder))
  }
}

/** The same place for every process of this machine, whatever its TMPDIR. */
const elsewhere = (folder: string) => join('/tmp', `holdfast-lock-${digest(folder)}`)
const digest = (folder: string) => createHash('sha256').update(folder).digest('hex').slice(0, 24)

async function contend(place: string): Promise<Lock> {
  const end = performance.now() + PATIENCE_MS
  await mkdir(place, { recursive: true })
  for (let tries = 1; ; tries++) {
    const name = `${process.pid}-${randomUUID().slice(0, 8)}`
    const release = await appear(place, name)
    const other = await livingOther(place, name).catch(async (error) => {
      await release()
      throw error
    })
    if (!other) {
      await writeFile(join(place, name + HELD), '')
      return { release }
    }
    await release()
    if (other.holds || performance.now() > end) return { heldBy: other.pid }
    await new Promise((resolve) =>
      setTimeout(resolve, Math.random() * Math.min(10 * 2 ** tries, 300)),
    )
  }
}

/** Starts to listen under `name`; answers how to stop. */
async function appear(place: string, name: string): Promise<() => Promise<void>> {
  const path = join(place, name)
  const server = createServer((socket) => socket.destroy())
  // Bound but not yet listening, a socket looks dead: it takes its name only when it answers.
  await withAddress(place, `.${name}`, (address) => listening(server, address))
  await rename(join(place, `.${name}`), path).catch((error) => {
    server.close()
    throw error
  })
  // The lock alone must not keep the process running.
  server.unref()
  return async () => {
    await rm(path, { force: true })
    await rm(path + HELD, { force: true })
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
}

/** Another contender that lives, a holder first; what the dead ones left is removed. */
async function livingOther(place: string, own: string) {
  const names = await readdir(place)
  const living: { pid: string; holds: boolean }[] = []
  for (const name of names) {
    if (name === own || name.startsWith('.') || name.endsWith(HELD)) continue
    if (await withAddress(place, name, answers)) {
      living.push({ pid: name.split('-')[0] ?? '', holds: names.includes(name + HELD) })
    } else {
      // Its name is never used again, so nobody living can be removed here.
      await rm(join(place, name), { force: true })
      await rm(join(place, name + HELD), { force: true })
    }
  }
  return living.find(({ holds }) => holds) ?? living[0]
}

function listening(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    // Any other error (a full queue of a stopped process, say) says nothing about its death.
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
    )
  })
}

/** Names a socket in `place` by an address that is short enough. */
async function withAddress<T>(place: string, name: string, use: (address: string) => Promise<T>) {
  const direct = join(place, name)
  if (Buffer.byteLength(direct) <= LONGEST_ADDRESS) return use(direct)
  if (process.platform !== 'linux') {
    throw Object.assign(new Error(`${direct} is too long for a socket`), { code: 'EINVAL' })
  }
  const folder = await open(place)
  try {
    return await use(`/proc/self/fd/${folder.fd}/${name}`)
  } finally {
    await folder.close()
  }
}

/** Windows gives a pipe's name to one process and takes it back when that process ends. */
async function lockPipe(folder: string): Promise<Lock> {
  const server = createServer((socket) => socket.destroy())
  try {
    await listening(server, `\\\\.\\pipe\\holdfast-${digest(folder.toLowerCase())}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return { heldBy: 'unknown' }
    throw error
  }
  server.unref()
  return { release: () => new Promise((resolve) => server.close(() => resolve())) }
}
