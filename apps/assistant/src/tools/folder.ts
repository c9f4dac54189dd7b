import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { HoldfastError } from '@holdfast/core'
import { cut } from '../output/cut.ts'

/** Folders that hold other people's code, credentials or our own database: the tools leave them out. */
const LEFT_OUT = new Set(['.git', 'node_modules', '.holdfast'])

/** Kernel interfaces that look like files: their links lead anywhere and their reads may never end. */
const KERNEL = ['/proc', '/sys', '/dev']

const isBelow = (path: string, parent: string): boolean =>
  path === parent || path.startsWith(parent.endsWith(sep) ? parent : parent + sep)

const inKernel = (path: string): boolean => KERNEL.some((parent) => isBelow(path, parent))

/** Compared in lower case, because `.GIT` is `.git` on a file system that folds case. */
export const isLeftOut = (name: string): boolean => LEFT_OUT.has(name.toLowerCase())

const show = (path: string): string => JSON.stringify(cut(path, 200))

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

const notAFolder = (path: string, why: string): HoldfastError =>
  new HoldfastError('INVALID_ARGUMENT', `${show(path)} ${why}; give another folder.`)

/**
 * A root folder that file tools are confined to. Paths are relative, written with `/`; a path that
 * leads out, by `..`, by being absolute, or through a symbolic link at any level, is refused.
 *
 * Somebody who can swap folders for links inside the root while a tool runs is outside this promise.
 */
export class Folder {
  /** The root's real path, without symbolic links. */
  readonly root: string

  private constructor(root: string) {
    this.root = root
  }

  /** Opens `path`; `INVALID_ARGUMENT` if it is no folder of files. */
  static async open(path: string): Promise<Folder> {
    const root = await realpath(resolve(path)).catch((error: unknown) => {
      throw notAFolder(path, `cannot be opened (${String(codeOf(error))})`)
    })
    if (inKernel(root)) throw notAFolder(path, 'is a kernel interface')
    if (!(await lstat(root)).isDirectory()) throw notAFolder(path, 'is not a folder')
    return new Folder(root)
  }

  /** The real path of `path`, which exists and lies inside the root. Rejects otherwise. */
  async resolve(path: string): Promise<string> {
    const parts = checkedParts(path)
    let real: string
    try {
      real = await realpath(join(this.root, ...parts))
    } catch (error) {
      const code = codeOf(error)
      if (code === 'ENOENT' || code === 'ENOTDIR') throw new Error(`${show(path)} does not exist.`)
      throw new Error(`${show(path)} cannot be opened (${String(code)}).`)
    }
    this.#refuseOutside(real, path)
    return real
  }

  /**
   * The real path of a file that may be written: it lies inside the root, and is no file yet or a regular one.
   * Makes the folders that are missing on the way.
   */
  async target(path: string): Promise<string> {
    const parts = checkedParts(path)
    const name = parts.at(-1)
    if (name === undefined || path.endsWith('/')) throw new Error(`${show(path)} is a folder.`)
    const parent = join(this.root, ...parts.slice(0, -1))
    // Before anything is made: a folder behind a link would be made wherever the link leads.
    this.#refuseOutside(join(this.root, ...parts), path)
    this.#refuseOutside(join(await nearest(parent), name), path)
    await mkdir(parent, { recursive: true })
    const real = await realpath(join(parent, name)).catch(async () =>
      join(await realpath(parent), name),
    )
    this.#refuseOutside(real, path)
    const there = await lstat(real).catch(() => undefined)
    if (there && !there.isFile() && !there.isSymbolicLink()) {
      throw new Error(`${show(path)} is ${there.isDirectory() ? 'a folder' : 'not a file'}.`)
    }
    return real
  }

  #refuseOutside(real: string, path: string): void {
    if (!isBelow(real, this.root) || inKernel(real)) {
      throw new Error(`${show(path)} leads out of the folder; only what lies inside can be used.`)
    }
    const hidden = relative(this.root, real).split(sep).find(isLeftOut)
    if (hidden !== undefined) throw new Error(`${hidden} is left out of what the tools can see.`)
  }

  /** Opens a regular file for reading. Links were resolved before; another one here is refused, and a pipe does not hang. */
  async openFile(path: string): Promise<FileHandle> {
    const real = await this.resolve(path)
    const handle = await open(
      real,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    ).catch((error: unknown) => {
      throw new Error(`${show(path)} cannot be opened (${String(codeOf(error))}).`)
    })
    const stat = await handle.stat()
    if (stat.isFile()) return handle
    await handle.close()
    throw new Error(
      stat.isDirectory() ? `${show(path)} is a folder; list it.` : `${show(path)} is not a file.`,
    )
  }

  /** A real path below the root as the tools show it: relative, with `/`; the root itself is `.`. */
  display(real: string): string {
    return relative(this.root, real).split(sep).join('/') || '.'
  }
}

/** The real path of the nearest folder above or at `path` that exists. */
async function nearest(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined)
    if (real !== undefined) return real
    // A link that leads nowhere is there all the same, and what is made behind it would be made elsewhere.
    const there = await lstat(at).catch(() => undefined)
    if (there?.isSymbolicLink()) throw new Error(`${show(at)} is a link that leads nowhere.`)
  }
}

function checkedParts(path: string): string[] {
  if (path.length > 4_096) throw new Error('The path is longer than 4,096 characters.')
  // U+0000 ends a path for the kernel, the others hide what it says.
  if (/\p{Cc}/u.test(path)) throw new Error('The path holds control characters.')
  if (path.includes('\\'))
    throw new Error(`${show(path)} has a backslash; separate folders with /.`)
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) {
    throw new Error(`${show(path)} is absolute; give a path inside the folder, such as docs.`)
  }
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..'))
    throw new Error(`${show(path)} has ".."; give a path inside the folder.`)
  return parts
}
