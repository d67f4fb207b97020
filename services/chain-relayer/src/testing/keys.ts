import { computeAddress } from 'ethers'

/** Keys of tests and benches: worth nothing anywhere. */
export const laneKey = `0x${'a1'.repeat(32)}`
export const laneAddress = computeAddress(laneKey)
/** The next lane key, where keys are exchanged. */
export const nextKey = `0x${'a2'.repeat(32)}`
export const nextAddress = computeAddress(nextKey)
/** Schedules acts of the contracts' administrator. */
export const proposerKey = `0x${'b1'.repeat(32)}`
export const deployerKey = `0x${'d1'.repeat(32)}`
export const custodySeed = new Uint8Array(32).fill(7)
