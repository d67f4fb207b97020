import type { ChainLog } from '@carapace/api'
import { nonceTail, toChecksum } from '@carapace/chain'
import { paidIn } from './paid-in.ts'

/** A mined transaction, as the relayer reads it. */
export interface SentTransaction {
  to: string | null
  input: string
  success: boolean
  /** Unix seconds. */
  blockTime: number
  logs: readonly ChainLog[]
}

/** What a proof of the spec's dialect has to be. */
export interface Expected {
  usdc: string
  payer: string
  payTo: string
  /** µ */
  price: bigint
  nonce: string
  /** Of the challenge, Unix milliseconds. */
  issuedAt: number
  deadline: number
  /** Registered wallet of the agent that the challenge was issued for. */
  agentWallet: string | null
  /** The caller has proven to be that agent. */
  byAgent: boolean
  /** It goes to the intake: exactly the price, by the wallet of the agent alone. */
  isExact: boolean
}

/** Judged transfer: what it paid, or why it proves nothing. */
export type Judged = { paid: bigint } | { reason: string; message: string }

/** Block times may be that far from the clock of the gateway. */
const toleranceMs = 15_000
/** From this price on only the wallet of the agent that the purchase is for may pay. */
const ownWalletFrom = 1_000_000n

const functions: Readonly<Record<string, number>> = {
  // transfer(address,uint256), transferFrom(address,address,uint256): bytes of the arguments
  '0xa9059cbb': 64,
  '0x23b872dd': 96,
}

const same = (a: unknown, b: string | null): boolean => b !== null && toChecksum(String(a)) === toChecksum(b)

/**
 * Whether a transaction pays for a challenge. It is no secret and bears no signature of ours, so a stranger could name it: what says whom it belongs
 * to is a 32-byte tail of its calldata (the nonce, or better its keccak256), or that it comes from the wallet of the challenge's agent.
 */
export function judgeTransfer(tx: SentTransaction, expected: Expected): Judged {
  const { payer, payTo, price, issuedAt, deadline, isExact } = expected
  if (!tx.success) return { reason: 'invalid_transaction_state', message: 'The transaction failed' }
  const usdcLogs = tx.logs.filter(({ contract }) => contract === 'USDC')
  if (usdcLogs.some(({ event, args }) => event === 'AuthorizationUsed' && same(args.authorizer, payer)))
    return { reason: 'invalid_payload', message: 'A transfer by authorisation is paid with x402 v1 or v2' }
  const paid = paidIn(tx.logs, { payer, payTo })
  if (isExact ? paid !== price : paid < price)
    return { reason: 'transfer_event_mismatch', message: `The transaction moves ${paid} of ${price} micro-USDC from ${payer} to ${payTo}` }
  const minedMs = tx.blockTime * 1_000
  if (minedMs < issuedAt - toleranceMs) return { reason: 'invalid_transaction_state', message: 'The transfer is older than the challenge' }
  if (minedMs > deadline + toleranceMs) return { reason: 'challenge_expired', message: 'The transfer was mined after the deadline of the challenge' }
  return judgeOwner(tx, expected, paid)
}

const endsFor = ['transfer_event_mismatch', 'challenge_expired', 'recipient_mismatch']

/**
 * Whether a refused transfer can serve nothing else: it names this challenge, or its agent's wallet sent it without a name and that agent says so.
 * Anyone may name the transfer of somebody else, or have a challenge made for another purchase of its agent: it has to wait for its own proof.
 */
export function isRefusedForGood(tx: SentTransaction, expected: Expected, { reason }: { reason: string }): boolean {
  const { usdc, payer, nonce, agentWallet, byAgent } = expected
  const tail = tailOf(tx, usdc)
  const isMeant = tail === undefined ? byAgent && same(payer, agentWallet) : [nonce.toLowerCase(), nonceTail(nonce)].includes(tail)
  return tx.success && isMeant && endsFor.includes(reason)
}

function judgeOwner(tx: SentTransaction, { usdc, payer, nonce, price, agentWallet, isExact }: Expected, paid: bigint): Judged {
  const isOwn = same(payer, agentWallet)
  if ((isExact || price >= ownWalletFrom) && !isOwn) {
    const message = `${isExact ? 'What goes to the intake' : 'From 1 USDC on'}: the wallet of the agent that the purchase is for has to pay`
    return { reason: 'recipient_mismatch', message }
  }
  const tail = tailOf(tx, usdc)
  if (tail === undefined) {
    if (isOwn) return { paid }
    const message =
      'A transfer without a tail serves only the agent whose registered wallet sent it: name that agent, or append keccak256(nonce) to the calldata'
    return { reason: 'nonce_missing', message }
  }
  const accepted = [nonce.toLowerCase(), nonceTail(nonce)]
  return accepted.includes(tail) ? { paid } : { reason: 'nonce_mismatch', message: 'The tail of the calldata belongs to another challenge' }
}

/** What follows the arguments of a direct transfer; undefined when nothing does, and for calls by way of another contract. */
function tailOf({ to, input }: SentTransaction, usdc: string): string | undefined {
  const length = functions[input.slice(0, 10).toLowerCase()]
  if (length === undefined || !same(to ?? usdc, usdc) || to === null) return undefined
  const tail = input.slice(10 + length * 2)
  return tail === '' ? undefined : `0x${tail.toLowerCase()}`
}
