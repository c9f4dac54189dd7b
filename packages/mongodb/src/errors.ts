import type { ErrorKind } from '@holdfast/core'

const names: Readonly<Record<string, ErrorKind>> = {
  MongoNetworkError: 'transient',
  MongoNetworkTimeoutError: 'transient',
  MongoServerSelectionError: 'transient',
  MongoPoolClearedError: 'transient',
  MongoWaitQueueTimeoutError: 'transient',
  MongoOperationTimeoutError: 'transient',
  MongoStalePrimaryError: 'transient',
  // The primary has it, and the majority may: whatever the code says, it is not known to be refused.
  MongoWriteConcernError: 'transient',
  MongoNotConnectedError: 'closed',
  MongoTopologyClosedError: 'closed',
  MongoPoolClosedError: 'closed',
  MongoClientClosedError: 'closed',
}

const kinds: readonly (readonly [ErrorKind, readonly number[]])[] = [
  [
    'transient',
    [
      // Network, socket, a host that cannot be reached or found.
      ...[6, 7, 89, 202, 9001],
      // Not the primary (any more), stepping down, shutting down, starting.
      ...[91, 189, 10107, 11600, 11602, 13435, 13436, 133],
      // Locks, conflicts, interruption, a time limit, too busy.
      ...[24, 46, 50, 112, 11601, 262, 365, 462],
      // The majority did not answer in time, or does not exist now.
      ...[64, 100, 134],
      // A cursor or a plan that a change of the primary ended; a shard that moved.
      ...[43, 237, 175, 63, 150, 13388, 334],
    ],
  ],
  ['too-large', [10334, 17280, 17419, 17420]],
  // No rights, no such user, no space, over a quota, against a validator or a unique index, not understood.
  ['refused', [13, 18, 14031, 8000, 121, 11000, 2, 9, 14, 20, 26, 59, 72, 73, 115, 123, 166, 323]],
]
const codes = new Map(kinds.flatMap(([kind, list]) => list.map((code) => [code, kind] as const)))

/** By names, labels and codes: the classes of another copy of the client are other classes. */
export function classifyMongodb(error: unknown): ErrorKind | undefined {
  const { name, code, errorLabels } = Object(error)
  const named = Object.hasOwn(names, String(name)) ? names[String(name)] : undefined
  if (named) return named
  if (Array.isArray(errorLabels) && errorLabels.includes('RetryableWriteError')) return 'transient'
  return codes.get(Number(code))
}

/** An insert that met a document of the same `_id`: somebody was there before. */
export function isDuplicateId(error: unknown): boolean {
  const { code, keyPattern } = Object(error)
  // Another unique index, of the user's own, is no lost race.
  return code === 11000 && (keyPattern === undefined || Object.hasOwn(Object(keyPattern), '_id'))
}
