import { type Decimal, max, millionths, min, one, ratio, times, toMillionths } from './decimal.ts'
import { type Sums, sumsOf } from './pairs.ts'
import type { State } from './state.ts'
import type { Tuning } from './tuning.ts'

/** What one counterparty's word adds to an agent. */
export interface Credit extends Sums {
  counterparty: string
  tie: Decimal
  /** Weight of a gig that it paid, and of one that the agent failed for it. */
  weight: Decimal
  failWeight: Decimal
  /** Nobody vouches for it. */
  isFloor: boolean
  credit: Decimal
}

/** The counterparties of an agent in 365 days with their credits (behaviour 17.2), in order of their ids. */
export function creditsOf(state: State, now: number, tuning: Tuning): Credit[] {
  const credits: Credit[] = []
  for (const [counterparty, pair] of state.pairs) {
    const sums = sumsOf(pair, now, tuning)
    if (sums) credits.push(creditOf(counterparty, sums, state, tuning))
  }
  limitFloor(credits, state.maturedAt <= now ? tuning.floorCredit : tuning.young.floorCredit, tuning)
  return credits.sort((a, b) => (a.counterparty < b.counterparty ? -1 : 1))
}

function creditOf(counterparty: string, sums: Sums, { mates, maturedAt }: State, tuning: Tuning): Credit {
  const isYoung = sums.at < maturedAt
  const floor = millionths(isYoung ? tuning.young.floor : tuning.floor)
  const isFloor = sums.theirStanding <= floor
  const tie = (sums.wasHired && sums.hasHired) || mates.has(counterparty) ? millionths(tuning.tie) : one
  const weight = times(max(sums.theirStanding, floor), tie)
  const whole = millionths(isFloor && isYoung ? tuning.young.creditFeesMicro : tuning.creditFeesMicro)
  const credit = times(weight, min(one, ratio(sums.feesPaid, whole)))
  return { ...sums, counterparty, tie, weight, failWeight: max(weight, millionths(tuning.floor)), isFloor, credit }
}

/** Payers that nobody vouches for count little, however many they are. */
function limitFloor(credits: readonly Credit[], limit: number | null, tuning: Tuning): void {
  const floor = credits.filter(({ isFloor }) => isFloor)
  const total = floor.reduce((sum, { credit }) => sum + credit, 0n)
  if (limit === null || total <= millionths(limit)) return
  for (const entry of floor) {
    entry.weight = ratio(entry.weight * millionths(limit), total * one)
    entry.credit = ratio(entry.credit * millionths(limit), total * one)
    entry.failWeight = max(entry.weight, millionths(tuning.floor))
  }
}

/** What an agent's word is worth to those it pays, and how much it is paid by others: the numbers that facts of its counterparties store. */
export interface Vouching {
  /** Of the agent as payer, without any floor, 0 to 1 in millionths. */
  standing: number
  /** The sum of its credits as worker (D), in millionths. */
  credit: number
}

export function vouchingOf(credits: readonly Credit[], tuning: Tuning): Vouching {
  let [spent, counted, credit] = [0n, 0n, 0n]
  for (const entry of credits) {
    spent += entry.feesSpent
    counted += times(times(min(millionths(tuning.vouchFeesMicro), entry.feesCounted), entry.theirRep), entry.tie)
    credit += entry.credit
  }
  return { standing: toMillionths(standingOf({ counted, spent }, tuning)), credit: toMillionths(credit) }
}

/** X/(X+5)·min(1, X/Φ): fees paid for reputed work, against all fees. */
export function standingOf({ counted, spent }: { counted: Decimal; spent: Decimal }, { vouchHalfMicro }: Tuning): Decimal {
  if (counted === 0n) return 0n
  return times(ratio(counted, counted + millionths(vouchHalfMicro)), min(one, ratio(counted, spent)))
}
