import { posix } from 'node:path'
import { broken } from './broken-driver.ts'
import { PlainDriver } from './plain-driver.ts'

const keyed = (name: string, killedBy: string | readonly string[], keyOf: (id: string) => string) =>
  broken(
    name,
    killedBy,
    class extends PlainDriver {
      override keyOf(id: string) {
        return keyOf(id)
      }
    },
  )

/** The part behind the last colon: the id of the user, as a rule. */
const tail = (id: string, change: (name: string) => string) =>
  id.replace(/[^:]*$/, (name) => change(name))

export const brokenIds = [
  keyed(
    'ids are compared without case',
    ['ids-look-alike', 'isolated-ids', 'delete-neighbours'],
    (id) => id.toLowerCase(),
  ),
  keyed('ids are compared without accents', 'ids-look-alike', (id) =>
    id.normalize('NFD').replace(/\p{M}/gu, ''),
  ),
  keyed('ids are normalised to NFC', 'ids-look-alike', (id) => id.normalize('NFC')),
  keyed('blanks at the end of ids do not count', ['ids-look-alike', 'isolated-ids'], (id) =>
    id.trimEnd(),
  ),
  keyed('ids that look like numbers are numbers', 'ids-look-alike', (id) =>
    tail(id, (name) => (/^\d+$/.test(name) ? String(Number(name)) : name)),
  ),
  keyed('ids are paths', ['ids-hostile', 'isolated-ids'], (id) => posix.normalize(id)),
  keyed('characters that a file name may not have are replaced', 'ids-hostile', (id) =>
    id.replace(/[*?"<>|\\/]/g, '_'),
  ),
  keyed('percent signs in ids are decoded', 'ids-hostile', (id) =>
    id.replace(/%2f/gi, '/').replace(/%2e/gi, '.'),
  ),
  keyed('ids are cut at 191 characters', 'ids-long', (id) => id.slice(0, 191)),
  keyed('ids of more than 255 bytes are an error', ['ids-long', 'refused-ids'], (id) => {
    if (Buffer.byteLength(id) > 255) throw new Error('Data too long for column id')
    return id
  }),
  keyed('a suffix of files or folders does not count', 'ids-nested', (id) =>
    id.replace(/(\/|\.|\.json|\.tmp)$/, ''),
  ),
  keyed('the depth in front of an id does not count', 'scope-or-id', (id) =>
    id.replace(/^m\d+:/, ''),
  ),
  keyed('the kind in front of an id does not count', 'sessions-beside-memories', (id) =>
    id.replace(/^[ms](?=\d+:)/, ''),
  ),
]
