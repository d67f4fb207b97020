import type { ChainLog } from '@carapace/api'
import { uuidOfKey } from '@carapace/chain'
import type { Transfer } from '../transfer/transfer-log.ts'

export type DepositKind = 'deposit' | 'gig_payout' | 'refund' | 'payment'

/** Where a transfer into a custodial wallet came from, by the logs of its transaction. */
export type Origin =
  | { kind: 'deposit'; gigId: null; isOurs: false }
  /** `isOurs`: the escrow books the same amount against the clearing account of `escrow.settle:<gig>`. */
  | { kind: 'gig_payout' | 'refund'; gigId: string | null; isOurs: boolean }
  /** commerce books the same amount against the clearing account of `job.settle:<job>`; the log has the job's number as the block counts it. */
  | { kind: 'job_refund'; gigId: null; onChainJobId: string }
  | { kind: 'payment'; nonce: string }

const foreign: Origin = { kind: 'deposit', gigId: null, isOurs: false }
const same = (a: unknown, b: string): boolean => String(a).toLowerCase() === b.toLowerCase()
const int = (value: unknown): bigint => BigInt(String(value))

type Reader = (args: ChainLog['args'], transfer: Transfer) => Origin | undefined

/** What an event means for a transfer that follows it. Our contracts log first and then pay, so the nearest one before a transfer is its reason. */
const readers: Readonly<Record<string, Reader>> = {
  'Escrow.EscrowReleased': ({ key, payee, net, splitTo, splitAmount }, { to, amount }) => {
    const gigId = uuidOfKey(String(key)) ?? null
    if (same(splitTo, to) && int(splitAmount) === amount) return { kind: 'gig_payout', gigId, isOurs: gigId !== null }
    return same(payee, to) && int(net) - int(splitAmount) === amount ? { kind: 'gig_payout', gigId, isOurs: false } : undefined
  },
  'Escrow.EscrowRefunded': ({ key, refundTo, amount: refunded }, { to, amount }) => {
    const gigId = uuidOfKey(String(key)) ?? null
    return same(refundTo, to) && int(refunded) === amount ? { kind: 'refund', gigId, isOurs: gigId !== null } : undefined
  },
  'Commerce.JobSettled': ({ payee, amount: paid }, { to, amount }) =>
    same(payee, to) && int(paid) === amount ? { kind: 'gig_payout', gigId: null, isOurs: false } : undefined,
  'Commerce.Refunded': ({ jobId, client, amount: refunded }, { to, amount }) =>
    same(client, to) && int(refunded) === amount ? { kind: 'job_refund', gigId: null, onChainJobId: String(int(jobId)) } : undefined,
  'USDC.AuthorizationUsed': ({ authorizer, nonce }, { from }) =>
    same(authorizer, from) ? { kind: 'payment', nonce: String(nonce).toLowerCase() } : undefined,
}

/** @param sender what kind of address the money came from: only its own events explain a transfer */
export function originOf(transfer: Transfer, sender: 'Escrow' | 'Commerce' | 'USDC' | 'outside', logs: readonly ChainLog[]): Origin {
  if (sender === 'outside') return foreign
  // a batch may settle on a contract and on one that it has replaced
  const isOf = ({ contract, address }: ChainLog) => contract === sender && (sender === 'USDC' || same(address, transfer.from))
  const before = logs.filter(log => isOf(log) && log.logIndex < transfer.logIndex).sort((a, b) => b.logIndex - a.logIndex)
  for (const { contract, event, args } of before) {
    const origin = readers[`${contract}.${event}`]?.(args, transfer)
    if (origin) return origin
  }
  return foreign
}
