// Claims a folder, says whether it got it, and holds it until it is killed.
import { lockFolder } from '../../src/pglite-lock.ts'

const [folder = ''] = process.argv.slice(2)
const lock = await lockFolder(folder)
console.log('heldBy' in lock ? `held by ${lock.heldBy}` : 'got it')
// Nothing else keeps this process alive, and the lock must not.
if (!('heldBy' in lock)) setInterval(() => {}, 60_000)
