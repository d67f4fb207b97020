import type { Chain, EscrowStatus } from '@carapace/api'

/** `none`: the gig is known, no money was locked for it. */
export type Status = EscrowStatus | 'none'
export type FundingKind = 'allowance' | 'authorization' | 'treasury' | 'onchain'
export type Reason = 'verdict' | 'frozen' | 'weak' | 'no_consensus' | 'dispute' | 'cancelled' | 'default'
export type By = 'swarm' | 'oracle' | 'admin' | 'party' | 'time'

/**
 * Every transition of behaviour 6.1. What time alone does: funding ends by the deadline of its command, locked and disputed by the timers of
 * `judge`, releasing and refunding by retries within minutes and, after 180 days, by the contract.
 */
export const transitions = {
  none: { reserve: 'funding', decline: 'unfunded' },
  funding: { confirm: 'locked', fail: 'none' },
  locked: { dispute: 'disputed', release: 'releasing', refund: 'refunding', lapse: 'refunded', reopen: 'funding', fail: 'none' },
  disputed: { release: 'releasing', refund: 'refunding', lapse: 'refunded', reopen: 'funding', fail: 'none' },
  releasing: { pay: 'released', lapse: 'refunded', vanish: 'unfunded' },
  refunding: { lapse: 'refunded', vanish: 'unfunded' },
  // only a reorganisation of the chain leads out of the last three: the settlement fails after all, or there never was a lock
  released: { revoke: 'releasing', vanish: 'unfunded' },
  refunded: { revoke: 'refunding', vanish: 'unfunded' },
  unfunded: {},
} as const satisfies Record<Status, Record<string, Status>>
export type Step = 'reserve' | 'decline' | 'confirm' | 'fail' | 'dispute' | 'release' | 'refund' | 'lapse' | 'pay' | 'reopen' | 'revoke' | 'vanish'

/** Where the step leads from that state; undefined when the table has no such edge. */
export const next = (status: Status, step: Step): Status | undefined => (transitions[status] as Partial<Record<Step, Status>>)[step]

/** States that the chain ends within minutes, and where they may lead; a reorganisation brings an escrow back into one of them. */
export const passingStates = {
  funding: ['none', 'locked', 'disputed'],
  releasing: ['released'],
  refunding: ['refunded'],
} as const satisfies Partial<Record<Status, readonly Status[]>>

export const isFinal = (status: Status): boolean => ['released', 'refunded', 'unfunded'].includes(status)
/** States in which the contract holds the budget, as far as we know. */
export const holdsMoney = (status: Status): boolean => ['locked', 'disputed', 'releasing', 'refunding'].includes(status)

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
  round: number
  /** Number of the last outcome of this round that was followed; older ones are late. */
  seq: number
  operationId: string
  kind: FundingKind
  /** Where a refund goes. */
  from: string
  /** Wallet of the poster: with the gig's key it is the slot of the contract. */
  poster: string
  /** As the contract knows it, or will; the zero address until there is one. */
  payee: string
  /** reserving: the treasury has not answered yet, no command exists. */
  stage: 'reserving' | 'sent' | 'confirmed'
  txHash: string | null
  blockNumber: number | null
  lockedAt: Date | null
  payeeRound: number
  payeeFailed: boolean
}
/** A lock that somebody made on the contract itself. */
export interface DirectLock {
  poster: string
  payee: string
  amount: bigint
  txHash: string
  blockNumber: number
}
export interface Settlement {
  kind: 'release' | 'refund'
  round: number
  /** Number of the last outcome that was followed. */
  seq: number
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
  payoutLost: boolean
  error: string | null
  /** Set after a terminal failure of the command. */
  retryAt: Date | null
  approveRound: number
  txHash: string | null
  blockNumber: number | null
  settledAt: Date | null
  /** Its place is that of a log of somebody else's transaction. `commandEnded`: no command of ours was under way then. */
  byLog?: { commandEnded: boolean } | null
}
/** One that has had no effect yet, and unless it says otherwise pays nobody. */
export const newSettlement = (said: Pick<Settlement, 'kind' | 'round' | 'reason' | 'by'> & Partial<Settlement>): Settlement => ({
  seq: 0,
  undone: 0,
  failure: null,
  fee: 0n,
  treasury: 0n,
  external: 0n,
  treasuryAddress: null,
  payoutLost: false,
  error: null,
  retryAt: null,
  approveRound: 0,
  txHash: null,
  blockNumber: null,
  settledAt: null,
  ...said,
})

/** One document per gig. What has been heard (facts, in any order) stands beside what was done about it (status, lock, settlement). */
export interface Escrow {
  /** The gig's id. */
  id: string
  escrowId: string
  gigTitle: string
  posterId: string
  /** The budget, micro-USDC. */
  amount: bigint
  chain: Chain
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
  /** The last one that its depositor took back, and by which transaction: a reorganisation may bring it back. */
  reclaimed?: { lock: DirectLock; txHash: string } | null

  status: Status
  decision: { outcome: 'release' | 'refund' | 'hold' | 'unfunded'; reason: Reason; by: By; at: Date } | null
  disputedAt: Date | null
  disputeReason: string | null
  lock: Lock | null
  lockRounds: number
  lockFailure: { operationId: string; round: number; code: string; message: string } | null
  settlement: Settlement | null
  /** When time alone moves it on, and how. */
  dueAt: Date | null
  dueAction: string | null
}

export type GigTerms = Pick<Escrow, 'gigTitle' | 'posterId' | 'amount' | 'chain'> & { gigId: string; skillsRequired?: string[] }

export function firstContact(terms: GigTerms, escrowId: string): Escrow {
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
