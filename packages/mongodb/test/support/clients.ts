import * as mongodb7 from 'mongodb'
import * as mongodb6 from 'mongodb6'

/** Both ends of the range of the peer dependency. */
export const clients = { 'mongodb 7': mongodb7, 'mongodb 6': mongodb6 }
