import { assertLeading, type Lane } from '../../lane/lane.ts'
import { type Attempt, type Fee, lastAttempt, type OpError } from '../../lane/records.ts'
import type { Slot } from '../../lane/slots.ts'
import { withAttempt } from '../../lane/tx-writes.ts'
import { signNoop } from './noop.ts'
import { bumpedFee, calldataOf, feeFor, signAttempt } from './transaction.ts'

/**
 * Puts an empty transaction into the slot. Whichever of its attempts is mined decides about the operations: theirs, or this one and
 * they are released (failed with `error`, cancelled, or queued again when there is none).
 */
export async function replaceByNoop(lane: Lane, slot: Slot, error: OpError | null): Promise<void> {
  const last = lastAttempt(slot.tx)
  if (last.noop) return
  const fees = lane.network.profile.fees
  const fee = bumpedFee(fees, last.fee, lane.head.baseFee) ?? feeFor(fees, lane.head.baseFee)
  await addAttempt(lane, slot, await signNoop(lane, slot.nonce, fee), error)
}

/** Prices the slot up: the same content with a higher fee. @returns false when the fee cannot rise */
export async function bump(lane: Lane, slot: Slot): Promise<boolean> {
  const last = lastAttempt(slot.tx)
  const fee = bumpedFee(lane.network.profile.fees, last.fee, lane.head.baseFee)
  if (!fee) return false
  await addAttempt(lane, slot, last.noop ? await signNoop(lane, slot.nonce, fee) : await signAgain(lane, slot, fee), slot.tx.failWith)
  return true
}

async function signAgain(lane: Lane, { nonce, tx }: Slot, fee: Fee): Promise<Attempt> {
  const content = {
    chainId: lane.network.profile.chainId,
    nonce,
    to: tx.to,
    data: calldataOf(tx),
    value: BigInt(tx.value),
    gasLimit: tx.gasLimit,
    fee,
  }
  return signAttempt(lane.signer, content, Date.now())
}

/** Stored first, then sent. Earlier attempts stay known: any of them may still be mined. */
async function addAttempt(lane: Lane, slot: Slot, attempt: Attempt, failWith: OpError | null): Promise<void> {
  assertLeading(lane)
  const { _id, attempts } = withAttempt(slot.tx, attempt, failWith)
  const written = await lane.db.txs.updateOne({ _id, epoch: lane.lease.epoch }, { $set: { attempts, failWith } })
  if (written.matchedCount === 0) return lane.fail(new Error(`slot ${_id} belongs to another leader`))
  lane.slots.replace(slot, withAttempt(slot.tx, attempt, failWith))
  lane.send([slot.nonce])
}
