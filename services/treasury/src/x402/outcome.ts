import { chainRelayerApi, dayMs, type PublishedOutcome } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { failureText, followEffect, type ObservedEffect, operationParts, trackOutcome } from '@carapace/chain'
import { onlyPolled, onOutcomes, type Subscription, transactionOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { restore, wasDecided } from './dropped.ts'
import { covers } from './paid-in.ts'
import { fail, longestAuthorizationMs, prunedMs, settle, type X402Payment } from './payment.ts'

type Outcome = PublishedOutcome<'confirmed' | 'finalized' | 'failed'>

/** Outcomes of settlements. */
export function settlementOutcomes(parts: Parts): Subscription[] {
  const follow = (outcome: Outcome) => followSettlement(parts, outcome)
  return onOutcomes({ 'treasury.settle-x402': { confirmed: follow, finalized: follow, failed: follow, reorged: onlyPolled } })
}

async function followSettlement(parts: Parts, outcome: Outcome): Promise<void> {
  const [, id] = operationParts(outcome.opKey)
  const payment = await parts.x402.get(id)
  if (!payment || trackOutcome(payment.onChain, outcome) === 'stale') return
  const use = await useOf(parts, payment, outcome)
  // a reorganisation may still drop what used it in another way
  if (use.is === 'otherwise' && outcome.is === 'confirmed') return
  await parts.x402.change(id, present => {
    const onChain = followEffect(present.onChain, outcome, effectOf(present, use, outcome))
    if (!onChain) return undefined
    if (use.is !== 'paid')
      return fail(present, { failure: outcome.is === 'failed' ? outcome.code.toLowerCase() : 'authorization_cancelled', onChain })
    const isFinal = outcome.is === 'finalized'
    if (!wasDecided(present)) return settle(present, { onChain, isFinal }, parts.clock.now())
    return isFinal ? restore(present, onChain, parts.clock.now()) : undefined
  })
}

/** A failure that names no transaction is that of the one which was shown. */
function effectOf({ onChain: { txHash } }: X402Payment, use: Use, outcome: Outcome): ObservedEffect {
  if (use.is === 'paid') return { is: 'confirmed', txHash: use.txHash, blockNumber: use.blockNumber }
  const code = 'AUTHORIZATION_CANCELLED'
  return { is: 'failed', txHash, error: failureText(outcome.is === 'failed' ? outcome : { code, message: 'The authorisation paid nothing to us' }) }
}

/** What has used an authorisation: a transfer to us; a cancellation, or a transfer to somebody else; nothing. */
type Use = { is: 'paid'; txHash: string; blockNumber: number } | { is: 'otherwise' } | { is: 'none' }

/**
 * What is paid, served or set aside stays so until a node shows what has used its nonce.
 * @throws Retry where it was used and nothing shows by what; CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE
 */
async function useOf(parts: Parts, payment: Stored<X402Payment>, outcome: Outcome): Promise<Use> {
  if (outcome.is !== 'failed' && isKnown(payment, outcome)) return { is: 'paid', txHash: outcome.txHash, blockNumber: outcome.blockNumber }
  const ageMs = parts.clock.now().getTime() - payment.createdAt.getTime()
  const isOpen = payment.state === 'claimed'
  const use = await useByAnother(parts, payment, ageMs).catch((error: unknown) => {
    if (isOpen && ageMs >= unreadableMs) return { is: 'none' as const }
    throw error
  })
  if (use.is !== 'none' || outcome.is === 'failed') return use
  // what no node shows any more ends as unpaid: while it is open, nothing that came from its payer could go back
  if (isOpen && ageMs >= longestAuthorizationMs + prunedMs) return { is: 'otherwise' }
  // that its nonce was used proves neither a payment nor a cancellation
  throw new Retry(`what used the authorisation of x402 payment ${payment.id} cannot be read yet`)
}

/** By its own logs, or by those of the same transaction before: nodes forget them. */
const isKnown = (payment: X402Payment, { txHash, logs }: PublishedOutcome<'confirmed' | 'finalized'>): boolean =>
  covers(logs, payment) || (payment.onChain.txHash === txHash && payment.state !== 'claimed' && payment.state !== 'failed')

/** The time of a block may be so far from the clock of this machine. */
const skewMs = 5 * 60_000
/** Of a search that may read many blocks. */
const searchMs = 10_000
/** A search that still fails as long as this after the claim finds nothing any more: the node has dropped those blocks. */
const unreadableMs = dayMs

/** Anyone who sees an authorisation may submit it: the money has arrived all the same. Its use is searched from the claim on, however old that is. */
async function useByAnother(parts: Parts, payment: X402Payment, ageMs: number): Promise<Use> {
  const { chain, payer, nonce } = payment
  const since = String(Math.floor((Date.now() - ageMs - skewMs) / 1_000))
  const { txHash, cancelled } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainAuthorization, {
    params: { chain, wallet: payer, nonce },
    query: { since },
    timeoutMs: searchMs,
  })
  if (txHash === null) return { is: 'none' }
  if (cancelled) return { is: 'otherwise' }
  const mined = await transactionOf(parts, { network: chain, txHash })
  // its log is known: another node of the same pool has its receipt
  if (!mined) throw new Retry(`transaction ${txHash}, which used the authorisation of x402 payment ${payment.id}, cannot be read yet`)
  return covers(mined.logs, payment) ? { is: 'paid', txHash, blockNumber: mined.blockNumber } : { is: 'otherwise' }
}
