/**
 * `@holdfast/core/adapter`: what the doors of the adapters, `open…`, share: their options are checked before
 * anything is opened, and a client that is not installed is told from one that fails. A driver needs little of it.
 */
export { loadPeer } from './adapter/load-peer.ts'
export { checkFlag, checkWhole } from './adapter/option-checks.ts'
export { retryWhile } from './adapter/retry-while.ts'
export { Late, within } from './adapter/within.ts'
export { invalid, kindOf, knownOptions, show, wrong } from './errors.ts'
export { LATE_REQUEST_MS } from './late-request.ts'
export { type StorageSettings, storageSettings } from './storage/storage-options.ts'
export { Turns } from './turns.ts'
