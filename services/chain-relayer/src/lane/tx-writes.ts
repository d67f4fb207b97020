import type { Block, Receipt } from '../chain/reader.ts'
import type { Lane } from './lane.ts'
import type { Attempt, FinalTx, HeldTx, MinedTx, OpError, OpenTx, ReplacedTx, Tx } from './records.ts'
import { nextTxState } from './transaction-states.ts'

/** A transition of a transaction: its next record and the fields to store; `liveOps` when it released some of its operations. */
export interface TxStep<Next extends Tx = Tx> {
  tx: Next
  fields: Partial<Next>
  liveOps?: readonly string[]
}

/** The node has it in its pool. */
export const accept = (tx: OpenTx): OpenTx => (tx.state === 'SIGNED' ? { ...tx, state: nextTxState(tx.state, 'accept') } : tx)

/** Other bytes hold the slot from now on; earlier ones may still be mined. */
export const withAttempt = (tx: HeldTx, attempt: Attempt, failWith: OpError | null): HeldTx => ({
  ...tx,
  attempts: [...tx.attempts, attempt],
  failWith,
})

/** A block has it. @param liveOps the operations that it holds from now on, if it released some */
export function mine(tx: HeldTx, receipt: Receipt, block: Block, liveOps?: readonly string[]): TxStep<MinedTx> {
  const state = nextTxState(tx.state, receipt.status === '0x1' ? 'succeed' : 'revert')
  const fields = { state, block, minedHash: receipt.transactionHash, gasUsed: Number(receipt.gasUsed) }
  const mined = { ...tx, ...fields }
  return liveOps ? { tx: withLiveOps(mined, liveOps), fields, liveOps } : { tx: mined, fields }
}

/** Its block, or the one that displaced it, was dropped, or a crash left it unknown: the slot has to be mined again. */
export function reopen(tx: HeldTx | ReplacedTx): TxStep<OpenTx> {
  const fields = { state: nextTxState(tx.state, 'reopen'), block: null, minedHash: null, gasUsed: null }
  return { tx: { ...tx, ...fields }, fields }
}

/** Its block is deep enough to be final. */
export function finalizeTx(tx: MinedTx): TxStep<FinalTx> {
  const fields = { state: nextTxState(tx.state, 'finalize'), unfinished: false, block: tx.block }
  return { tx: { ...tx, ...fields }, fields }
}

/** What was not stored with its transition: its place in the chain. */
export function present(tx: HeldTx): TxStep {
  const { state, block, minedHash } = tx
  return { tx, fields: { state, block, minedHash } as Partial<HeldTx> }
}

type RestorableTx = FinalTx & { nonce: number; block: Block }
export const isRestorable = (tx: Tx): tx is RestorableTx => tx.state === 'FINAL' && tx.nonce !== null && tx.block !== null

/** A reorganisation dropped its final block: mined, as far as is known. */
export function restore(tx: RestorableTx, epoch: number): TxStep<MinedTx> {
  const fields = { epoch, state: nextTxState(tx.state, 'restore'), unfinished: true }
  return { tx: { ...tx, ...fields }, fields }
}

/** Another transaction used its nonce. */
export function displace(tx: HeldTx, liveOps: readonly string[]): TxStep<ReplacedTx> {
  const fields = { state: nextTxState(tx.state, 'displace'), unfinished: false }
  return { tx: withLiveOps({ ...tx, ...fields, block: null, minedHash: null, gasUsed: null }, liveOps), fields, liveOps }
}

function withLiveOps<Held extends Tx>(tx: Held, liveOps: readonly string[]): Held {
  const { liveOps: _released, ...rest } = tx
  return (liveOps.length ? { ...rest, liveOps: [...liveOps] } : rest) as Held
}

/**
 * Stores steps, one statement for all that change in the same way. A leader of an older epoch matches nothing: then this one has lost
 * the lane and stops.
 */
export async function storeTxSteps(lane: Lane, steps: readonly TxStep[]): Promise<void> {
  if (steps.length === 0) return
  const groups = new Map<string, { ids: string[]; step: TxStep }>()
  for (const step of steps) {
    const key = JSON.stringify([step.fields, step.liveOps])
    const group = groups.get(key)
    if (group) group.ids.push(step.tx._id)
    else groups.set(key, { ids: [step.tx._id], step })
  }
  const result = await lane.db.txs.bulkWrite(
    [...groups.values()].map(({ ids, step }) => ({ updateMany: { filter: { _id: { $in: ids }, epoch: lane.lease.epoch }, update: updateOf(step) } })),
    { ordered: false },
  )
  if (result.matchedCount < steps.length) lane.fail(new Error('another leader has acquired these transactions'))
}

function updateOf({ fields, liveOps }: TxStep) {
  if (!liveOps) return { $set: fields }
  return liveOps.length ? { $set: { ...fields, liveOps: [...liveOps] } } : { $set: fields, $unset: { liveOps: '' as const } }
}
