import { type Chain, dayMs, limits } from '@carapace/api'
import { type OnChain, sentOnChain } from '@carapace/chain'
import { amountOf } from '../amounts.ts'
import { type BondLockState, bondLockStates } from './bond-lock-states.ts'
import { type BondMoveState, bondMoveStates } from './bond-move-states.ts'

export const minDeposit = limits.bond.minMicro
/** Share of a gig's lock that a verdict slashes. */
const slashPercent = 20n

/** A request that reserves custodial money has so long before a job carries it on. */
export const reservingMs = 30_000

export type MoveType = 'DEPOSIT' | 'WITHDRAW' | 'SLASH' | 'SLASH_REVERSED'

export interface BondLock extends Late {
  gigId: string
  /** micro-USDC */
  amount: bigint
  at: Date
  /** Bond event of the command that locks. */
  lockId: string
  /** Of that command. */
  onChain: Required<OnChain>
  /** Bond event of the command that unlocks, and what is known of it; both null until one is sent. */
  unlockId: string | null
  unlockOnChain: Required<OnChain> | null
  stage: BondLockState
  /** An unlock that failed is sent again then. */
  retryAt: Date | null
  /** When the marketplace is queried whether the gig was assigned; null once it was. */
  askAt: Date | null
  /** That query is under way, or its answer is not stored: until then no acceptance relies on the lock. */
  isQueried?: boolean
  /** The gig is over, or the acceptance was abandoned: unlock as soon as the lock is on chain. */
  isOver: boolean
  isClean: boolean
  /** It replaces one that a reorganisation reversed: the gig's lock has been published as current. */
  isAgain: boolean
}

/**
 * A command that the chain carried out after it had failed: number of that outcome. Its effect then has rows and ledger entries of its
 * own, because those of its id may exist.
 */
interface Late {
  lateSeq?: number
}
export const rowIdOf = (id: string, { lateSeq }: Late): string => (lateSeq === undefined ? id : `${id}-${lateSeq}`)
export const entryKeyOf = (id: string, { lateSeq }: Late): string => (lateSeq === undefined ? id : `${id}:${lateSeq}`)

/** A command under way, stored until its terminal event. */
export interface Move extends Late {
  /** Bond event id: key of the command. For a slash, the id of its row. */
  id: string
  onChain: Required<OnChain>
  /** The slash that is made or reversed. */
  slashId: string | null
  type: MoveType
  amount: bigint
  operationId: string
  /** The other end: where it comes from or goes to. */
  address: string
  /** Custodial deposits: the treasury has not answered yet. */
  stage: BondMoveState
  isCustodial: boolean
  /** A slash: how much of which lock; the rest came from the free part. */
  taken: { gigId: string; amount: bigint }[]
  gigId: string | null
  reason: string | null
  validationId: string | null
  by: 'swarm' | 'oracle' | 'admin'
  at: Date
}

type Given = 'id' | 'type' | 'amount' | 'operationId' | 'address' | 'at'

/** A command under way: sent immediately, and with nothing of a slash unless it says so. */
export const newMove = (given: Pick<Move, Given> & Partial<Move>): Move => ({
  onChain: sentOnChain,
  slashId: null,
  stage: bondMoveStates.move(bondMoveStates.initial, 'send'),
  isCustodial: false,
  taken: [],
  gigId: null,
  reason: null,
  validationId: null,
  by: 'oracle',
  ...given,
})

/** A slash that was made. One that was paid back no longer counts against the agent; it does again when the payment is reversed. */
export interface MadeSlash {
  id: string
  at: Date
  isVerdict: boolean
  isReversed: boolean
}

/** So long what was done may still be reversed. */
export const rememberedMs = dayMs
/**
 * What a command caused, or that it failed, stored for a day: a reorganisation may still drop its block, and then it may fail for good, or include it
 * after all.
 */
export type Done = { id: string; at: Date } & (
  | { move: Move }
  /** `txHash`: of an unlock by somebody else, for which there is no command. */
  | { unlocked: BondLock; txHash?: string }
  | { failedMove: Move }
  | { failedLock: BondLock }
)

/** What an agent did on the contract itself; no outcome follows it, and a log that was dropped reverses it. */
export interface DirectMove {
  move: Move
  isReversed: boolean
}

/** The stake of one agent on its preferred network. What is reserved for a command under way is already out of `free`. */
export interface Bond {
  /** The agent's id. */
  id: string
  /** The agent's account in the contract, EIP-55. */
  wallet: string
  chain: Chain
  /** The Bond that has the stake, where that is not the first of its network. */
  contract?: string
  /** What the wallet did itself on its contract counts after this block: up to it, the figures of the bond are those of the contract. */
  directAfter?: number
  free: bigint
  /** free + locks; stored for lists and sums. */
  total: bigint
  slashed: bigint
  locks: BondLock[]
  moves: Move[]
  /** The newest effects, oldest first. */
  done: Done[]
  /** The newest that was made or reversed: its postings follow from it. */
  direct?: DirectMove
  /** Where withdrawals go from `effectiveAt` on; before that, to `before`. */
  payout: { address: string; effectiveAt: Date; before: string } | null
  /** Slashes that were paid back, or are about to be: each only once. */
  reversed: string[]
  /** In the order in which they were made. Bonds stored before this field was get it at the next start, if they were slashed. */
  slashes?: MadeSlash[]
  /** The newest slash that was not reversed; stored for lists and figures. */
  lastSlashAt: Date | null
  /** The next of all timers of the locks. */
  dueAt: Date | null
}

export const lockedOf = ({ locks }: Pick<Bond, 'locks'>): bigint => amountOf(locks)
export const tierOf = (total: bigint): 'UNBONDED' | 'BONDED' | 'HIGH_BOND' =>
  total >= limits.bond.highMicro ? 'HIGH_BOND' : total >= minDeposit ? 'BONDED' : 'UNBONDED'
export const statusOf = (total: bigint): 'BONDED' | 'UNBONDED' => (total >= minDeposit ? 'BONDED' : 'UNBONDED')

export const noBond = (agent: { id: string; wallet: string; chain: Chain }): Bond => ({
  ...agent,
  free: 0n,
  total: 0n,
  slashed: 0n,
  locks: [],
  moves: [],
  done: [],
  payout: null,
  reversed: [],
  slashes: [],
  lastSlashAt: null,
  dueAt: null,
})

/** Where withdrawals go now. */
export function payoutAddress({ payout, wallet }: Bond, now: Date): string {
  if (!payout) return wallet
  return now >= payout.effectiveAt ? payout.address : payout.before
}

/** What a verdict slashes of a lock: 20 %, rounded down to the micro. */
export const slashOf = (amount: bigint): bigint => (amount * slashPercent) / 100n

/** When stake was last slashed and not paid back; `of`: by verdict alone. */
export function lastSlashOf({ slashes = [] }: Pick<Bond, 'slashes'>, of: 'all' | 'verdict' = 'all'): Date | null {
  const times = slashes.filter(({ isReversed, isVerdict }) => !isReversed && (isVerdict || of === 'all')).map(({ at }) => at.getTime())
  return times.length ? new Date(Math.max(...times)) : null
}

/** The slash counts, or counts no longer. */
export const withReversed = (bond: Bond, slashId: string | null, isReversed: boolean): Bond =>
  bond.slashes ? { ...bond, slashes: bond.slashes.map(slash => (slash.id === slashId ? { ...slash, isReversed } : slash)) } : bond

/** Totals and timers follow from the parts. */
export function settled(bond: Bond): Bond {
  const times = bond.locks.flatMap(({ askAt, retryAt, at, stage }) => [askAt, retryAt, stage === 'locked' ? timeout(at) : null])
  const due = times.flatMap(time => (time ? [time.getTime()] : []))
  const lastSlashAt = bond.slashes ? lastSlashOf(bond) : bond.lastSlashAt
  return { ...bond, total: bond.free + lockedOf(bond), lastSlashAt, dueAt: due.length ? new Date(Math.min(...due)) : null }
}

/** At the latest then a lock ends, also where its gig has not ended. */
export const timeout = (at: Date): Date => new Date(at.getTime() + 180 * dayMs)

/** The bond without a lock that ends. @throws INVALID_STATE when the lock cannot end so */
export function withoutLock(bond: Bond, { gigId, stage }: BondLock, trigger: 'fail' | 'confirmUnlock'): Bond {
  bondLockStates.move(stage, trigger)
  return { ...bond, locks: bond.locks.filter(lock => lock.gigId !== gigId) }
}

/** The bond with one more command under way. */
export const withMove = (bond: Bond, move: Move): Bond => ({ ...bond, moves: [...bond.moves, move] })

/** The bond without a command that ends. @throws INVALID_STATE when the command cannot end so */
export function withoutMove(bond: Bond, { id, stage }: Pick<Move, 'id' | 'stage'>, trigger: 'confirm' | 'fail'): Bond {
  bondMoveStates.move(stage, trigger)
  return { ...bond, moves: bond.moves.filter(move => move.id !== id) }
}

export const withLock = (bond: Bond, gigId: string, change: Partial<BondLock>): Bond => ({
  ...bond,
  locks: bond.locks.map(lock => (lock.gigId === gigId ? { ...lock, ...change } : lock)),
})
