import type { Chain } from '@carapace/api'
import { type OnChain, sentOnChain } from '@carapace/chain'
import type { Status } from './escrow-states.ts'

export type FundingKind = 'x402' | 'allowance' | 'authorization' | 'treasury' | 'onchain'
export type Reason = 'verdict' | 'frozen' | 'weak' | 'no_consensus' | 'dispute' | 'cancelled' | 'default'
export type By = 'swarm' | 'oracle' | 'admin' | 'party' | 'time'

export interface Assignment {
  assigneeId: string
  /** EIP-55, as registered at the assignment. */
  wallet: string
  crewId: string | null
  /** Basis points of the fee, frozen. */
  feeBp: number
  deadlineAt: Date
}
export interface Delivery {
  submissionId: string
  url: string | null
  at: Date
}
/** The final word of the panels of the submission; those of an appeal are in `Appeal`. */
export interface Verdict {
  result: 'approved' | 'rejected' | 'expired'
  validationId: string
  weak: boolean
  frozen: boolean
  note: string | null
  /** Of an expiry whose threshold the poster had raised: what the votes cast make the default. */
  byVotes?: 'release' | 'refund' | null
  /** Earliest release. */
  settleAfter: Date | null
  appealUntil: Date | null
  approvalPct: number
  votes: number
  at: Date
}
export interface Appeal {
  appealId: string
  filedAt: Date
  expiresAt: Date
  /** No panel could be drawn. */
  oracleAssisted: boolean
  outcome: 'won' | 'lost' | 'expired' | null
  applySlash: boolean
  weak: boolean
  approvalPct: number
  votes: number
}
/** What the oracle or an admin ordered. */
export interface Order {
  release: boolean
  by: 'oracle' | 'admin'
  wallet: string
  reason: string
  at: Date
}

export interface Lock {
  /** Of the command that locks. Of a lock on the contract itself, which is only accepted, with the place of that lock. */
  onChain: Required<OnChain>
  operationId: string
  kind: FundingKind
  /** Where a refund goes. */
  from: string
  /** The address of the intake that the x402 payment came to. */
  payTo?: string
  /** Wallet of the poster: with the gig's key it is the slot of the contract. */
  poster: string
  /** As the contract knows it, or will; the zero address until there is one. */
  payee: string
  /** reserving: the treasury has not answered yet, no command exists. */
  stage: 'reserving' | 'sent' | 'confirmed'
  lockedAt: Date | null
  /** Of the command that names the payee; null until it is sent. */
  payeeOnChain: Required<OnChain> | null
  /** Made after its failure had been published: number of that outcome. Its ledger entries are others than those of the failed one. */
  lateSeq?: number
  /** It is on chain, and whose money it locked cannot be read: its logs are waited for since then. */
  unclearSince?: Date
}
/** A lock that somebody made on the contract itself. */
export interface DirectLock {
  poster: string
  payee: string
  amount: bigint
  txHash: string
  blockNumber: number
  /** Where it was made; one from before this was stored is on the first contract of its network. */
  contract?: string
}
export interface Settlement {
  kind: 'release' | 'refund'
  /** Of its command, of round 0 where there was none; with the place of the effect, also where somebody else made it. */
  onChain: Required<OnChain>
  /** How often its confirmed effect was lost to a reorganisation and then failed. */
  undone: number
  reason: Reason
  by: By
  failure: 'rejected' | 'deadline_missed' | 'dispute_lost' | null
  /** micro-USDC: fee + treasury + external = amount; zero for a refund. */
  fee: bigint
  treasury: bigint
  external: bigint
  treasuryAddress: string | null
  /** Whom the contract has paid by its log, where that is not the payee: an operator's matter. */
  paidTo?: string
  payoutLost: boolean
  /** Set after a terminal failure of the command. */
  retryAt: Date | null
  approveRound: number
  settledAt: Date | null
  /** Its place is that of a log of somebody else's transaction. `commandEnded`: no command of ours was under way then. */
  byLog?: { commandEnded: boolean } | null
}
/** One that has had no effect yet, and unless it says otherwise pays nobody. */
export const newSettlement = (given: Pick<Settlement, 'kind' | 'reason' | 'by'> & Partial<Settlement>): Settlement => ({
  onChain: sentOnChain,
  undone: 0,
  failure: null,
  fee: 0n,
  treasury: 0n,
  external: 0n,
  treasuryAddress: null,
  payoutLost: false,
  retryAt: null,
  approveRound: 0,
  settledAt: null,
  ...given,
})

/** One document per gig. What became known (facts, in any order) is next to what was done about it (status, lock, settlement). */
export interface Escrow {
  /** The gig's id. */
  id: string
  escrowId: string
  gigTitle: string
  posterId: string
  /** The budget, micro-USDC. */
  amount: bigint
  chain: Chain
  /** The contract that it was opened on, which never changes; one from before this was stored is on the first of its network. */
  contract?: string
  skillsRequired: string[]

  assignment: Assignment | null
  delivery: Delivery | null
  /** Latest panel and whether only the oracle can decide. */
  panel: { validationId: string; oracleAssisted: boolean; version: number } | null
  verdict: Verdict | null
  appeal: Appeal | null
  cancelled: { reason: string; at: Date } | null
  dispute: { agentId: string; reason: string; at: Date } | null
  order: Order | null
  /** The poster pays before the wait of an approved verdict ends. */
  posterReleased: boolean
  directLock: DirectLock | null
  /** The last one that its depositor reclaimed, and by which transaction: a reorganisation may restore it. */
  reclaimed?: { lock: DirectLock; txHash: string } | null

  status: Status
  decision: { outcome: 'release' | 'refund' | 'hold' | 'unfunded'; reason: Reason; by: By; at: Date } | null
  disputedAt: Date | null
  disputeReason: string | null
  lock: Lock | null
  lockRounds: number
  /** `lock`: what failed; the chain may make it after all. */
  lockFailure: { operationId: string; round: number; code: string; message: string; lock?: Lock } | null
  settlement: Settlement | null
  /** When time alone moves it on, and how. */
  dueAt: Date | null
  dueAction: string | null
}

export type GigTerms = Pick<Escrow, 'gigTitle' | 'posterId' | 'amount' | 'chain'> & { gigId: string; skillsRequired?: string[] }

export function newEscrow(terms: GigTerms, escrowId: string): Escrow {
  const { gigId, gigTitle, posterId, amount, chain, skillsRequired = [] } = terms
  return {
    id: gigId,
    escrowId,
    gigTitle,
    posterId,
    amount,
    chain,
    skillsRequired,
    assignment: null,
    delivery: null,
    panel: null,
    verdict: null,
    appeal: null,
    cancelled: null,
    dispute: null,
    order: null,
    posterReleased: false,
    directLock: null,
    status: 'none',
    decision: null,
    disputedAt: null,
    disputeReason: null,
    lock: null,
    lockRounds: 0,
    lockFailure: null,
    settlement: null,
    dueAt: null,
    dueAction: null,
  }
}
