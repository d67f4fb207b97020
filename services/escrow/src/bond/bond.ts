import { type Chain, dayMs, limits, refuse, usd } from '@carapace/api'
import { least, sum } from '../amounts.ts'

export const minDeposit = limits.bond.minMicro
/** Share of a gig's lock that a verdict takes. */
const slashPercent = 20n

export type MoveType = 'DEPOSIT' | 'WITHDRAW' | 'SLASH' | 'SLASH_REVERSED'

export interface BondLock {
  gigId: string
  /** micro-USDC */
  amount: bigint
  at: Date
  /** Bond event of the lock command, and later of the unlock. */
  lockId: string
  /** Numbers of the last outcomes of the two commands that were followed; older ones are late. */
  lockSeq: number
  unlockId: string | null
  unlockSeq: number
  unlockRound: number
  stage: 'locking' | 'locked' | 'unlocking'
  /** An unlock that failed is sent again then. */
  retryAt: Date | null
  /** When the owner of the gig is asked whether it was assigned; null once it was. */
  askAt: Date | null
  /** The gig is over, or the acceptance was given up: unlock as soon as the lock is on chain. */
  isOver: boolean
  isClean: boolean
  /** It replaces one that a reorganisation undid: others have been told that the gig's lock stands. */
  isAgain: boolean
  txHash: string | null
  blockNumber: number | null
}

/** A command under way, kept until its terminal event. */
export interface Move {
  /** Bond event id: key of the command. For a slash, the id of its row. */
  id: string
  /** The slash that is made or reversed. */
  slashId: string | null
  type: MoveType
  amount: bigint
  operationId: string
  /** The other end: where it comes from or goes to. */
  address: string
  /** Custodial deposits: the treasury has not answered yet. */
  stage: 'reserving' | 'sent'
  isCustodial: boolean
  /** A slash: what was taken from which lock; the rest came from the free part. */
  taken: { gigId: string; amount: bigint }[]
  gigId: string | null
  reason: string | null
  validationId: string | null
  by: 'swarm' | 'oracle' | 'admin'
  at: Date
}

/** What a command brought about, kept for a day: a reorganisation may still take its block away, and then it may fail for good. */
export type Done = { id: string; seq: number; at: Date } & ({ move: Move } | { unlocked: BondLock })

/** The stake of one agent on its preferred network. What is reserved for a command under way is already out of `free`. */
export interface Bond {
  /** The agent's id. */
  id: string
  /** The agent's account in the contract, EIP-55. */
  wallet: string
  chain: Chain
  free: bigint
  /** free + locks; kept for lists and sums. */
  total: bigint
  slashed: bigint
  locks: BondLock[]
  moves: Move[]
  done: Done[]
  /** Where withdrawals go from `effectiveAt` on; before that, to `before`. */
  payout: { address: string; effectiveAt: Date; before: string } | null
  /** Slashes that were paid back, or are about to be: each only once. */
  reversed: string[]
  lastSlashAt: Date | null
  lastVerdictSlashAt: Date | null
  /** The next of all timers of the locks. */
  dueAt: Date | null
}

export const lockedOf = ({ locks }: Pick<Bond, 'locks'>): bigint => sum(locks.map(({ amount }) => amount))
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
  lastSlashAt: null,
  lastVerdictSlashAt: null,
  dueAt: null,
})

/** Where withdrawals go now. */
export function payoutAddress({ payout, wallet }: Bond, now: Date): string {
  if (!payout) return wallet
  return now >= payout.effectiveAt ? payout.address : payout.before
}

/** What a verdict takes of a lock: 20 %, rounded down to the micro. */
export const slashOf = (amount: bigint): bigint => (amount * slashPercent) / 100n

/** Totals and timers follow from the parts. */
export function settled(bond: Bond): Bond {
  const times = bond.locks.flatMap(({ askAt, retryAt, at, stage }) => [askAt, retryAt, stage === 'locked' ? timeout(at) : null])
  const due = times.flatMap(time => (time ? [time.getTime()] : []))
  return { ...bond, total: bond.free + lockedOf(bond), dueAt: due.length ? new Date(Math.min(...due)) : null }
}

/** At the latest then a lock ends, whatever became of its gig. */
export const timeout = (at: Date): Date => new Date(at.getTime() + 180 * dayMs)

/** Takes an amount of the free part. @throws INVALID_STATE with what is available */
export function takeFree(bond: Bond, amount: bigint): Bond {
  if (amount > bond.free) refuse('INVALID_STATE', { available: usd(bond.free) }, { message: `Only ${usd(bond.free)} USDC of the bond is free` })
  return { ...bond, free: bond.free - amount }
}

/** Takes an amount out of the locks, that of `first` before others, then out of the free part. */
export function takeAny(bond: Bond, amount: bigint, first: string | null): { bond: Bond; taken: Move['taken'] } {
  let left = amount
  const taken: Move['taken'] = []
  const order = [...bond.locks].sort((a, b) => Number(b.gigId === first) - Number(a.gigId === first))
  for (const { gigId, amount: held } of order) {
    const part = least(held, left)
    if (part > 0n) taken.push({ gigId, amount: part })
    left -= part
  }
  return { bond: { ...reduceLocks(bond, taken, -1n), free: bond.free - left }, taken }
}

/** Takes (-1) from locks or gives back (1); what was of a lock that is gone meanwhile goes to the free part. */
export function reduceLocks(bond: Bond, taken: Move['taken'], sign: 1n | -1n): Bond {
  const gone = sum(taken.filter(({ gigId }) => !bond.locks.some(lock => lock.gigId === gigId)).map(({ amount }) => amount))
  const change = (gigId: string) => sum(taken.filter(part => part.gigId === gigId).map(({ amount }) => amount * sign))
  const held = (lock: BondLock): BondLock => ({ ...lock, amount: lock.amount + change(lock.gigId) })
  // should the unlock be undone, the contract holds the lock with what is given back
  const isGone = (gigId: string): boolean => !bond.locks.some(lock => lock.gigId === gigId)
  const done = bond.done.map(known => ('unlocked' in known && isGone(known.unlocked.gigId) ? { ...known, unlocked: held(known.unlocked) } : known))
  return { ...bond, free: bond.free + gone * sign, locks: bond.locks.map(held), done }
}

export const withLock = (bond: Bond, gigId: string, change: Partial<BondLock>): Bond => ({
  ...bond,
  locks: bond.locks.map(lock => (lock.gigId === gigId ? { ...lock, ...change } : lock)),
})
