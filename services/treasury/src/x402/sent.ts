import { createHash } from 'node:crypto'
import { chains, type PaymentProof, parseUsd, refuse } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import { recordIdOf, transactionOf } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { alone, ofPurchase, type Purchase, resume, unlessReplayed } from './claim.ts'
import { returnRefused } from './follow-transfers.ts'
import { settleSent, type X402Payment } from './payment.ts'
import { refusePayment } from './refuse.ts'
import { isRefusedForGood, judgeTransfer } from './sent-transfer.ts'

/** A proof of the spec's dialect; its nonce was found to be ours and for this route. */
export interface SentProof {
  proof: PaymentProof
  issuedAt: number
  deadline: number
  agentWallet: string | null
  byAgent: boolean
  claimedWallet: string | null
}

/**
 * Accepts a transfer that the payer sent itself. Only reads come before the one write that settles it, so that a crash leaves either nothing or a
 * credit.
 * @throws PAYMENT_INVALID, REPLAY_DETECTED, CHAIN_UNAVAILABLE
 */
export function collectSent(parts: Parts, purchase: Purchase, sent: SentProof): Promise<X402Payment> {
  const nonce = sent.proof.nonce.toLowerCase()
  const id = recordIdOf(createHash('sha256').update(`x402 challenge\n${nonce}`).digest('hex'))
  return alone(parts, purchase, id, () => collectAlone(parts, purchase, sent, { id, nonce }))
}

async function collectAlone(parts: Parts, purchase: Purchase, sent: SentProof, { id, nonce }: Pick<X402Payment, 'id' | 'nonce'>) {
  const { proof, claimedWallet } = sent
  const proofTx = proof.txHash.toLowerCase()
  const existing = await parts.x402.get(id)
  if (existing) return existing.proofTx === proofTx ? resume(parts, purchase, existing) : refuse('REPLAY_DETECTED')
  const amount = parseUsd(Number(proof.amount))
  // to the intake: what the transfer moved is judged, since too little goes back
  if (amount === undefined || (!purchase.fund && amount < purchase.price))
    refusePayment('payload_authorization_value_mismatch', 'amount is below the price')
  if (toChecksum(proof.to) !== toChecksum(purchase.payTo)) refusePayment('recipient_mismatch', 'to is not the payTo of the challenge')
  if (claimedWallet !== null && claimedWallet.toLowerCase() !== proof.from.toLowerCase())
    refusePayment('recipient_mismatch', 'from is not the wallet of x-wallet-address')

  const payer = toChecksum(proof.from)
  const { chain, tx } = await find(parts, proofTx)
  const { fund, price, payTo } = purchase
  if (fund && chain !== fund.chain) refusePayment('invalid_network', `This is paid on ${fund.chain}`)
  if (fund && !tx.final) refusePayment('settlement_pending', 'The transfer is not final yet: send the same proof again')
  const { usdc } = await parts.networks.contracts(chain)
  const expected = { ...sent, usdc, payer, payTo, price, nonce, isExact: fund !== undefined }
  const judged = judgeTransfer(tx, expected)
  if ('reason' in judged) {
    const isLast = fund !== undefined && isRefusedForGood(tx, expected, judged)
    const goesBack = isLast && (await returnRefused(parts, { chain, txHash: proofTx, payer, payTo: toChecksum(payTo) }, tx))
    return refusePayment(judged.reason, goesBack ? `${judged.message}: it goes back to its payer` : judged.message)
  }
  const fresh = { id, scheme: 'spec' as const, ...ofPurchase(purchase), amount: judged.paid, payer, chain, nonce, proofTx }
  const { state, events } = settleSent(fresh, proofTx, parts.clock.now(), Date.now())
  return unlessReplayed(parts, purchase, id, parts.x402.create(state, events))
}

/** A proof names no network: the transaction is searched on both. @throws PAYMENT_INVALID settlement_pending, CHAIN_UNAVAILABLE where only the other was read */
async function find(parts: Parts, txHash: string) {
  const reads = await Promise.allSettled(chains.map(async chain => ({ chain, tx: await transactionOf(parts, { network: chain, txHash }) })))
  for (const read of reads) if (read.status === 'fulfilled' && read.value.tx) return { chain: read.value.chain, tx: read.value.tx }
  for (const read of reads) if (read.status === 'rejected') throw read.reason
  return refusePayment('settlement_pending', 'The transaction is not mined yet: send the same proof again')
}
