import { computeAddress } from 'ethers'

/** Keys of tests and benches: worth nothing anywhere. */
export const laneKey = `0x${'a1'.repeat(32)}`
export const laneAddress = computeAddress(laneKey)
export const deployerKey = `0x${'d1'.repeat(32)}`
export const custodySeed = new Uint8Array(32).fill(7)
