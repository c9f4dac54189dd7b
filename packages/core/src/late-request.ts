/**
 * For how long a request may still be on its way, in ms: a tombstone goes no earlier, by `purge` or by expiring,
 * or a creation that arrives late would bring a deleted session back.
 */
export const LATE_REQUEST_MS = 600_000
