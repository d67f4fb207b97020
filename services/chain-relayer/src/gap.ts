import { claim } from './claim.ts'
import { feeFor } from './fees.ts'
import { assertLeading, type Lane } from './lane.ts'
import { noopGas, signNoop } from './noop.ts'
import { signedTx, type TxRecord, txIdOf } from './records.ts'

const perPass = 50
/** A hole is filled only after so many looks in a row: what somebody else sent may still be on its way. */
const looks = 3

/** Watches for nonces that the chain waits for and that no record holds: the key was used outside, and what used it is gone. */
export function gapFiller(): (lane: Lane, count: number) => Promise<void> {
  let seenAt = -1
  let seen = 0
  return async (lane, count) => {
    const lowest = lane.slots.lowestOpen()?.nonce ?? lane.slots.nextNonce
    if (count >= lowest) {
      seen = 0
      return
    }
    seen = seenAt === count ? seen + 1 : 1
    seenAt = count
    if (seen < looks) return
    const missing = Array.from({ length: Math.min(perPass, lowest - count) }, (_, index) => count + index)
    const held = await lane.db.txs.find({ _id: { $in: missing.map(nonce => txIdOf(lane.id, nonce)) } }, { projection: { _id: 1 } }).toArray()
    const ids = new Set(held.map(tx => tx._id))
    await fill(
      lane,
      missing.filter(nonce => !ids.has(txIdOf(lane.id, nonce))),
    )
  }
}

async function fill(lane: Lane, nonces: readonly number[]): Promise<void> {
  if (nonces.length === 0) return
  assertLeading(lane)
  lane.log.error({ lane: lane.id, nonces }, 'nonces of the lane are missing on chain and in the records: filled with empty transactions')
  const fee = feeFor(lane.network.profile.fees, lane.head.baseFee)
  const records = await Promise.all(nonces.map(nonce => emptySlot(lane, nonce, fee)))
  for (const tx of await claim(lane, records)) lane.slots.add(tx, new Map())
  lane.send(nonces)
}

async function emptySlot(lane: Lane, nonce: number, fee: ReturnType<typeof feeFor>): Promise<TxRecord> {
  const content = { ops: [], to: lane.signer.address, value: '0', gasLimit: noopGas }
  return signedTx({ lane: lane.id, epoch: lane.lease.epoch, nonce, ...content }, await signNoop(lane, nonce, fee))
}
