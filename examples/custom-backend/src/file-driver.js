// @ts-check
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** @import { SessionDriver, StoredSession } from '@holdfast/core' */

/** @param {string} text */
const hex = (text) => Buffer.from(text).toString('hex')
/** @param {string} hex */
const text = (hex) => Buffer.from(hex, 'hex').toString()

/**
 * For `catch`: where nothing is there, or another writer was faster, the answer is undefined.
 * @param {NodeJS.ErrnoException} error
 */
const lost = (error) => {
  if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw error
}

/**
 * Without it a power cut may undo the renames in a folder.
 * @param {string} folder
 */
const sync = (folder) => open(folder).then((it) => it.sync().finally(() => it.close()))

/**
 * Hex keeps ids apart and in order on every file system. A name may have 255 bytes, so long ids nest:
 * `+` leads on, `=` ends, and no session's folder lies inside another's.
 * @param {string} root
 * @param {string} id
 */
const folderOf = (root, id) => join(root, 'ids', `${hex(id).replace(/.{200}(?=.)/g, '$&+/')}=`)

/**
 * The paths of all sessions below `start`, without a look into their folders.
 * @param {string} root
 * @param {string} start
 * @returns {Promise<string[]>}
 */
async function walk(root, start) {
  const names = (await readdir(join(root, start)).catch(lost)) ?? []
  const paths = names.map((it) => (it.endsWith('=') ? [start + it] : walk(root, `${start}${it}/`)))
  return (await Promise.all(paths)).flat()
}

/**
 * Keeps each session in a folder: a head, entries, and one empty file, the pointer, whose name
 * `at.<revision>.<data>` says which of them are current. Renaming the pointer is the compare-and-set: of all
 * writers that expect one state, the first takes that name away from the others. There is no lock, so a
 * killed process leaves none behind.
 * @param {string} root where the sessions are kept; made when it is missing
 * @returns {SessionDriver}
 */
export const fileDriver = (root) => ({
  async read(id, { unless, skip = 0 } = {}) {
    const folder = folderOf(root, id)
    for (let attempt = 0; attempt < 10_000; attempt++) {
      const names = await readdir(folder).catch(lost)
      if (!names) return null
      const [, revision = '', data] = names.find((it) => it.startsWith('at.'))?.split('.') ?? []
      if (data && text(revision) === unless) return 'unchanged'
      // A listing skips everything: then the entries are not even opened.
      const kinds = skip === Infinity ? ['head'] : ['head', 'entries']
      const files = kinds.map((kind) => readFile(join(folder, `${data}.${kind}`), 'utf8'))
      const [head, entries = '[]'] = (await Promise.all(files).catch(lost)) ?? []
      if (head) return { revision: text(revision), head, entries: JSON.parse(entries).slice(skip) }
      // A writer was faster and has removed what the pointer named: look again.
    }
    throw new Error(`${folder} holds no state that can be read`)
  },

  async replace(id, next, expected) {
    const folder = folderOf(root, id)
    const names = (await readdir(folder).catch(lost)) ?? []
    const pointer = names.find((it) => expected && it.startsWith(`at.${hex(expected.revision)}.`))
    if (!pointer && (expected || names.length > 0)) return false

    // A new session appears whole: made elsewhere, and renamed to where there must be nothing.
    const into = pointer ? folder : join(root, 'new', randomUUID())
    for (const path of [into, dirname(folder)]) await mkdir(path, { recursive: true })
    const data = randomUUID()
    await writeFile(join(into, `${data}.head`), next.head, { flush: true })
    await writeFile(join(into, `${data}.entries`), JSON.stringify(next.entries), { flush: true })
    const named = join(into, `at.${hex(next.revision)}.${data}`)
    if (!pointer) await writeFile(named, '')
    await sync(into)

    const [from, to] = pointer ? [join(folder, pointer), named] : [into, folder]
    const won = await rename(from, to).then(() => sync(dirname(to)).then(() => true), lost)
    // What was listed before the rename is older, or belongs to writers that can only lose now.
    const old = names.filter((it) => !it.startsWith('at.')).map((it) => join(folder, it))
    const rest = won ? old : pointer ? [] : [into]
    for (const path of rest) await rm(path, { recursive: true, force: true })
    return won ? { revision: next.revision } : false
  },

  async list({ after = '', before = '\u{10ffff}', limit }) {
    const paths = await walk(join(root, 'ids'), '')
    const ids = paths.map((it) => it.replace(/[^\da-f]/g, '')).sort()
    const page = ids.filter((it) => it > hex(after) && it < hex(before)).slice(0, limit)
    const reads = page.map((it) => this.read(text(it), { skip: Infinity }))
    const found = /** @type {StoredSession[]} */ (await Promise.all(reads))
    return found.map(({ revision, head }, at) => ({ id: text(page[at] ?? ''), revision, head }))
  },
})
