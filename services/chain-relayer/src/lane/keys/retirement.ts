import type { Reads } from '../../chain/reads.ts'
import type { LaneParts } from '../lane.ts'
import type { LeaseRecord } from '../lease.ts'
import { foundNotFinal } from '../records.ts'
import { lanesOf } from './network-leases.ts'

/** What a former key has to finish before it can be removed. */
export interface Retirement {
  address: string
  /** Commands that it accepted, or that pay to it, and that are in no block, or whose effect was found in one that is not final. */
  commands: number
  /** Transactions that are not final, and endings that are not published. */
  transactions: number
  /** micro-USDC of x402 payments, or of others, at its address. */
  usdc: string
  /** Nothing is left, and nothing can be paid to it by now: its roles may be revoked and the key removed. */
  drained: boolean
}

/** Challenges that name the former key can be paid for some 5 minutes after it led, and what they begin comes a little later. */
const payableMs = 600_000

const isUnpayable = (lease: LeaseRecord | null, now: Date): boolean =>
  lease?.retiring === true && lease.retiringSince !== undefined && now.getTime() - lease.retiringSince.getTime() >= payableMs

/** Counts what the lane of a former key has left, in the records and on chain. @throws Refusal CHAIN_UNAVAILABLE */
export async function retirementOf({ id, signer, db, network }: LaneParts, reads: Pick<Reads, 'balance'>, now: Date): Promise<Retirement> {
  const { address } = signer
  const [lease, queued, found, transactions, { usdc }] = await Promise.all([
    db.leases.findOne({ _id: id }),
    db.ops.countDocuments({ lane: lanesOf(network.chain), state: 'QUEUED', $or: [{ lane: id }, { 'args.to': address }] }),
    db.ops.countDocuments({ lane: id, ...foundNotFinal }),
    db.txs.countDocuments({ lane: id, unfinished: true }),
    reads.balance(address),
  ])
  const commands = queued + found
  return { address, commands, transactions, usdc, drained: isUnpayable(lease, now) && commands + transactions === 0 && BigInt(usdc) === 0n }
}
