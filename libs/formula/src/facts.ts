import { minBondMicro } from './terms.ts'

export const dayMs = 86_400_000

/** The numbers of the other side as they were when the fact was written, in millionths. Absent in facts from before they were stored. */
interface OfPayer {
  /** How much the payer's word counts, 0 to 1, without any floor (behaviour 17.10). */
  theirStanding?: number
}

/** The entries of an agent in the audit log: the only input of score and risk. All times are ISO 8601, all money micro-USDC as text. */
export type Fact =
  | { type: 'registered' }
  | { type: 'onchain_confirmed'; chain: string }
  | { type: 'seen' }
  | Settled
  | { type: 'settled_again'; gigId: string }
  | { type: 'settlement_undone'; gigId: string }
  | Failed
  | { type: 'dispute_opened'; gigId: string }
  | { type: 'dispute_ended'; gigId: string; lost: boolean }
  | Slashed
  | { type: 'bond'; total: string; change: 'deposited' | 'withdrawn' | 'slashed' | 'reversed' }
  | { type: 'bond_lock_ended'; gigId: string; clean: boolean }
  | { type: 'vote_asked'; validationId: string }
  /** A requested vote that a decision about the gig made needless. */
  | { type: 'vote_excused'; validationId: string }
  | { type: 'vote_cast'; validationId: string }
  /** `vote` is absent in facts from before it was stored. */
  | { type: 'vote_judged'; validationId: string; withVerdict: boolean; vote?: 'approve' | 'reject' }
  | { type: 'crew_mates'; crewId: string; mates: string[] }
  | { type: 'reviewed'; by: string; rating: number }
  | { type: 'followed'; by: string; theirScore: number; theirFollows: number }
  | { type: 'unfollowed'; by: string }
  | { type: 'skill_verified'; skill: string }
  | CounterpartiesChanged
  | { type: 'inherited'; from: string }
  | { type: 'migrated'; to: string }
  | { type: 'suspended' }
  | { type: 'reinstated' }
  /** Of the whole market, in its own log and so in that of each agent: agents exist whose word counts. It is never reversed. `anchor` is the one that it follows. */
  | { type: 'market_matured'; reason: 'anchors' | 'vouchers'; anchor?: string }

interface Settled extends OfPayer {
  type: 'settled'
  role: 'assignee' | 'poster'
  with: string
  theirScore: number
  fee: string
  /** Of the assignee; 0 in the poster's fact. */
  net: string
  gigId: string
  creditable: boolean
  /** In the poster's fact: the sum of the assignee's credits (D), in millionths. */
  theirCredit?: number
}

interface Failed extends OfPayer {
  type: 'failed'
  with: string
  reason: 'rejected' | 'deadline_missed' | 'dispute_lost'
  gigId: string
  /** Of the gig. Absent in facts from before it was stored. */
  budget?: string
}

/** What a counterparty's word, or its work, counts for from now on: half of the way to what its standing is by now, and its credit. */
export interface CounterpartyChange extends OfPayer {
  with: string
  theirCredit?: number
}

/** Of all whose word or work counts for more or less than the log says. */
interface CounterpartiesChanged {
  type: 'counterparties_changed'
  changed: CounterpartyChange[]
}

interface Slashed {
  type: 'slash'
  slashId: string
  status: 'FROZEN' | 'APPLIED' | 'DROPPED' | 'REVERSED'
  amount: string
  /** What it follows. Absent in facts from before it was stored. */
  cause?: 'verdict' | 'decision'
}

export type FactType = Fact['type']
/** A fact with the moment it speaks of. */
export type Dated = Fact & { at: Date }

export type Of<T extends FactType> = Extract<Fact, { type: T }> & { at: Date }

/** Whole days from one moment to another; 0 where that one is earlier. */
export const daysBetween = (from: Date, to: Date): number => Math.max(0, Math.floor((to.getTime() - from.getTime()) / dayMs))

/** Facts of one type not older than `days` whole days. */
export function within<T extends FactType>(facts: readonly Dated[], type: T, now: Date, days = Number.POSITIVE_INFINITY): Of<T>[] {
  return facts.filter((fact): fact is Of<T> => fact.type === type && fact.at <= now && (now.getTime() - fact.at.getTime()) / dayMs < days)
}

/** Applied slashes that were not reversed since, each with the moment it was applied. One without an amount, for lack of a bond, does not count. */
export function appliedSlashes(facts: readonly Dated[], now: Date): { slashId: string; at: Date }[] {
  const latest = new Map(within(facts, 'slash', now).map(fact => [fact.slashId, fact]))
  return [...latest.values()].filter(fact => fact.status === 'APPLIED' && fact.amount !== '0').map(({ slashId, at }) => ({ slashId, at }))
}

/**
 * The facts that count: a payment that the chain reversed for good counts for nobody until it is made again, and of one gig or job its last failure
 * alone, unless it was paid since. A reorganisation may repeat an end, or put another one in its place.
 */
export function standingFacts(facts: readonly Dated[], now: Date): readonly Dated[] {
  const reversed = reversedGigs(facts, now)
  const payments = [...within(facts, 'settled', now), ...within(facts, 'settled_again', now)]
  const paidAt = new Map(payments.map(({ gigId, at }) => [gigId, at]))
  const failures = lastOfGig(within(facts, 'failed', now))
  const disputes = lastOfGig(within(facts, 'dispute_ended', now))
  const isPaidSince = ({ gigId, at }: Of<'failed'>) => !reversed.has(gigId) && (paidAt.get(gigId) ?? 0) >= at
  return facts.filter(fact => {
    if (fact.type === 'settled') return !reversed.has(fact.gigId)
    if (fact.type === 'failed') return failures.get(fact.gigId) === fact && !isPaidSince(fact)
    return fact.type !== 'dispute_ended' || disputes.get(fact.gigId) === fact
  })
}

/** Those whose payment was reversed for good, and was not made again since. */
function reversedGigs(facts: readonly Dated[], now: Date): Set<string> {
  const reversed = new Set<string>()
  for (const fact of facts) {
    if (fact.at > now) continue
    if (fact.type === 'settlement_undone') reversed.add(fact.gigId)
    else if (fact.type === 'settled_again') reversed.delete(fact.gigId)
  }
  return reversed
}

const lastOfGig = <F extends { gigId: string }>(facts: readonly F[]): Map<string, F> => new Map(facts.map(fact => [fact.gigId, fact]))

/** A fact with the agent whose log it belongs to, and its place in the log once it has one. */
export type Logged = Dated & { agentId: string; seq?: number }

/** Whose log the facts of the whole market are in; they count for each agent. */
export const marketId = '00000000-0000-0000-0000-000000000000'

/** Facts about the end of the source itself. They stay in the source's log: its heir is another agent. */
const notInherited: ReadonlySet<FactType> = new Set(['migrated', 'suspended', 'reinstated'])

/**
 * The log of an agent and of those it inherited from, in order of time, as the log of that agent. Each bond stays where it is, so the bond of the heir
 * is the sum of all of them.
 */
export function mergedFacts(agentId: string, log: readonly Logged[]): Dated[] {
  const bonds = new Map<string, bigint>()
  return log
    .filter(fact => fact.agentId === agentId || !notInherited.has(fact.type))
    .map(({ agentId: owner, seq: _, ...fact }) => {
      if (fact.type !== 'bond') return fact
      bonds.set(owner, BigInt(fact.total))
      return { ...fact, total: String([...bonds.values()].reduce((sum, total) => sum + total, 0n)) }
    })
}

/** Whole USDC of micro-USDC. */
export const usdcOf = (micro: string): number => Number(micro) / 1e6
/** Whether a bond is large enough to count. */
export const isBonded = (usdc: number): boolean => usdc >= Number(minBondMicro) / 1e6
/** The number, not below or above the limits. */
export const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))
/** Half up to one decimal; the tiny term heals what binary fractions lose just below a half. */
export const round1 = (value: number): number => Math.floor(value * 10 + 0.5 + 1e-9) / 10
