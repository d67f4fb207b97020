import { assertLeading, type Lane } from '../lane/lane.ts'
import { type OpenTx, type ReplacedTx, signedTx, type Tx, txIdOf } from '../lane/records.ts'
import { reopen } from '../lane/tx-writes.ts'
import { claim } from '../outbound/claim.ts'
import { noopGas, signNoop } from '../outbound/send/noop.ts'
import { replaceByNoop } from '../outbound/send/replace.ts'
import { feeFor } from '../outbound/send/transaction.ts'

const perPass = 50
/** A gap is filled only after so many consecutive polls: another sender's transaction may still be pending. */
const pollsNeeded = 3

/** Finds nonces that the chain expects and that no record holds: the key was used elsewhere, and that transaction was lost. */
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
    if (seen < pollsNeeded) return
    const missing = Array.from({ length: Math.min(perPass, lowest - count) }, (_, index) => count + index)
    const held = await lane.db.txs.find({ _id: { $in: missing.map(nonce => txIdOf(lane.id, nonce)) } }).toArray()
    await vacate(lane, held.filter(isReplaced))
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

/** Another sender's transactions in these slots were dropped with their block: empty transactions fill them. */
async function vacate(lane: Lane, replaced: readonly ReplacedTx[]): Promise<void> {
  if (replaced.length === 0) return
  assertLeading(lane)
  const own = { unfinished: true, epoch: lane.lease.epoch }
  const reopened = replaced.map(({ liveOps: _liveOps, ...tx }) => reopen({ ...tx, ...own }))
  const fields = { ...reopened[0]!.fields, ...own }
  await lane.db.txs.updateMany({ _id: { $in: reopened.map(({ tx }) => tx._id) }, state: 'REPLACED' }, { $set: fields, $unset: { liveOps: '' } })
  for (const { tx } of reopened) await replaceByNoop(lane, lane.slots.add(tx, new Map()), null)
}

const isReplaced = (tx: Tx): tx is ReplacedTx => tx.state === 'REPLACED'

async function emptySlot(lane: Lane, nonce: number, fee: ReturnType<typeof feeFor>): Promise<OpenTx> {
  const content = { ops: [], to: lane.signer.address, value: '0', gasLimit: noopGas }
  return signedTx({ lane: lane.id, epoch: lane.lease.epoch, signedHead: lane.head.number, nonce, ...content }, await signNoop(lane, nonce, fee))
}
