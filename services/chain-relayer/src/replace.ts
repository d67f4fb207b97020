import { bumpedFee, feeFor } from './fees.ts'
import { assertLeading, type Lane } from './lane.ts'
import { type Attempt, lastAttempt, type OpError } from './records.ts'
import type { Slot } from './slots.ts'
import { calldataOf, signAttempt } from './transaction.ts'

const noopGas = 21_000

/**
 * Puts an empty transaction into the slot. Whichever of its attempts is mined decides about the operations: theirs, or this one and
 * they are released (failed with `error`, cancelled, or queued again when there is none).
 */
export async function replaceByNoop(lane: Lane, slot: Slot, error: OpError | null): Promise<void> {
  const last = lastAttempt(slot.tx)
  if (last.noop) return
  const fees = lane.network.profile.fees
  const fee = bumpedFee(fees, last.fee, lane.head.baseFee) ?? feeFor(fees, lane.head.baseFee)
  const content = { chainId: lane.network.profile.chainId, nonce: slot.nonce, to: lane.signer.address, data: '0x', value: 0n, gasLimit: noopGas, fee }
  const attempt: Attempt = { ...(await signAttempt(lane.signer, content, Date.now())), noop: true }
  await addAttempt(lane, slot, attempt, error)
}

/** Prices the slot up: the same content with a higher fee. @returns false when the fee cannot rise */
export async function bump(lane: Lane, slot: Slot): Promise<boolean> {
  const last = lastAttempt(slot.tx)
  const fee = bumpedFee(lane.network.profile.fees, last.fee, lane.head.baseFee)
  if (!fee) return false
  const { to, value, gasLimit } = last.noop ? { to: lane.signer.address, value: '0', gasLimit: noopGas } : slot.tx
  const data = last.noop ? '0x' : calldataOf(slot.tx)
  const content = { chainId: lane.network.profile.chainId, nonce: slot.nonce, to, data, value: BigInt(value), gasLimit, fee }
  const attempt = await signAttempt(lane.signer, content, Date.now())
  await addAttempt(lane, slot, last.noop ? { ...attempt, noop: true } : attempt, slot.tx.failWith)
  return true
}

/** Stored first, then sent. Earlier attempts stay known: any of them may still be mined. */
async function addAttempt(lane: Lane, slot: Slot, attempt: Attempt, failWith: OpError | null): Promise<void> {
  assertLeading(lane)
  const attempts = [...slot.tx.attempts, attempt]
  const written = await lane.db.txs.updateOne({ _id: slot.tx._id, epoch: lane.lease.epoch }, { $set: { attempts, failWith } })
  if (written.matchedCount === 0) return lane.fail(new Error(`slot ${slot.tx._id} belongs to another leader`))
  Object.assign(slot.tx, { attempts, failWith })
  lane.slots.refresh(slot)
  lane.send([slot.nonce])
}
