import { concat, keccak256, toBeHex } from 'ethers'

/** Candidates that a draw reads at most. */
export const mostRead = 512
/** Candidates who may judge, of those read: with so many the draw reads no more. */
export const enoughEligible = 64

/**
 * Distinct places 0..size−1 in the order in which a draw reads them: keccak256(beacon ‖ i) mod size for i = 0, 1, 2 … as 4 bytes, each place once,
 * `mostRead` at most. Where the list is no longer than that, all of it in its own order.
 */
export function* placesOf(beacon: string, size: number): Generator<number> {
  if (size <= mostRead) {
    for (let place = 0; place < size; place++) yield place
    return
  }
  const drawn = new Set<number>()
  for (let i = 0; drawn.size < mostRead; i++) {
    const place = Number(BigInt(keccak256(concat([beacon, toBeHex(i, 4)]))) % BigInt(size))
    if (drawn.has(place)) continue
    drawn.add(place)
    yield place
  }
}
