/**
 * The chain value of a cell: equal values mean equal histories of entries. It is a hash of the revision
 * after any change other than adding at the end, and is continued over entries that are added. A reader
 * that fetched only the entries behind those it has cached trusts them if its own value, continued over
 * them, equals the head's; a counter would mix two states after a failover or a restored backup.
 *
 * Two lanes of a multiplicative hash, 64 bits in all: it guards against accidents, and starts from a
 * random revision that whoever writes items does not know.
 */
export type Chain = readonly [number, number]

export function continueChain([first, second]: Chain, texts: readonly string[]): Chain {
  let a = first
  let b = second
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      a = Math.imul(a ^ unit, 0x01000193)
      b = Math.imul(b + unit, 0x5bd1e995)
    }
    // The length tells ['ab', 'c'] from ['a', 'bc'].
    a = Math.imul(a ^ text.length ^ (b >>> 13), 0x85ebca6b)
    b = Math.imul(b ^ text.length ^ (a >>> 16), 0xc2b2ae35)
  }
  return [a, b]
}

/** The chain value after a change other than adding at the end. */
export const startChain = (revision: string): Chain => continueChain([0, 0], [revision])

export const sameChain = (one: Chain, other: Chain): boolean =>
  one[0] === other[0] && one[1] === other[1]
