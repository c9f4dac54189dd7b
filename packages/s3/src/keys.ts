/**
 * Names of objects. An id is written in hex, which keeps the order of its bytes, in parts of at most 200
 * digits: a gateway over a file system refuses a part over 255 bytes. A part that goes on ends with `~`, the
 * last one with `-`. Both sort as the id does, whether a server sorts whole keys or folder by folder (`-` is
 * below `/` and every digit, and meets `~` only behind 200 of them), and no key is the folder of another.
 */
const PART = 200

function encodeId(id: string): string {
  const hex = Buffer.from(id).toString('hex')
  const parts = hex.match(new RegExp(`.{1,${PART}}`, 'g')) ?? ['']
  return `${parts.join('~/')}-`
}

function decodeId(text: string): string | undefined {
  const hex = text.slice(0, -1).replaceAll('~/', '')
  const id = Buffer.from(hex, 'hex').toString()
  // What somebody else put here is none of ours.
  return encodeId(id) === text ? id : undefined
}

/** Where everything of one storage stands: `holdfast/heads/…`, `holdfast/segments/…`. */
export class Keys {
  /** How the keys of heads begin. */
  readonly heads: string
  /** How the keys of segments begin. */
  readonly segments: string
  /** How the keys of a probe begin. */
  readonly probes: string

  /** `prefix`: without a slash at either end; may be empty. */
  constructor(prefix: string) {
    const start = prefix === '' ? '' : `${prefix}/`
    this.heads = `${start}heads/`
    this.segments = `${start}segments/`
    this.probes = `${start}probes/`
  }

  head(id: string): string {
    return this.heads + encodeId(id)
  }

  idOfHead(key: string): string | undefined {
    return decodeId(key.slice(this.heads.length))
  }

  segment(id: string, name: string): string {
    return `${this.segments}${encodeId(id)}/${name}`
  }

  /** Behind every segment of `id`, and before those of the next id: names are letters and digits. */
  behindSegments(id: string): string {
    return this.segment(id, '~')
  }

  ofSegment(key: string): { id: string; name: string } | undefined {
    const end = key.lastIndexOf('/')
    const id = decodeId(key.slice(this.segments.length, end))
    return id === undefined ? undefined : { id, name: key.slice(end + 1) }
  }
}
