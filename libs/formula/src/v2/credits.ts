import { type Decimal, max, millionths, min, one, ratio, shareAbove, times, toMillionths, whole } from './decimal.ts'
import { type Pair, type Sums, sumsOf, windowMs } from './pairs.ts'
import type { State } from './state.ts'
import type { Tuning } from './tuning.ts'

/** What one counterparty's word adds to an agent. */
export interface Credit extends Sums {
  counterparty: string
  tie: Decimal
  /** Weight of a gig that it paid, and of one that the agent failed for it. */
  weight: Decimal
  failWeight: Decimal
  /** What a gig that it paid says of how reliable the agent is, and one that the agent failed for it. */
  word: Decimal
  missedWord: Decimal
  /** Nobody vouches for it. */
  isFloor: boolean
  /** By `words`: its standing is below the one whose word counts as that of a payer whom nobody vouches for. Such a standing is cheap. */
  hasLittleStanding: boolean
  /** It was last paid by before the market was mature. */
  isYoung: boolean
  credit: Decimal
  /** Fees for the agent's work that count on chain. */
  feesOnChain: Decimal
  /** What hiring it counts for the agent. */
  hiring: Decimal
}

/** The counterparties of an agent in 365 days with their credits (behaviour 17.10). */
export function creditsOf(state: State, now: number, tuning: Tuning): Credit[] {
  const credits: Credit[] = []
  for (const [counterparty, pair] of state.pairs) {
    const sums = sumsOf(pair, now, tuning)
    if (sums) credits.push(creditWith(counterparty, pair, sums, state, tuning))
  }
  if (!isMature(state, now)) return credits
  const limited = withinLimit(credits, tuning)
  return tuning.words ? wordsWithin(limited, tuning.words) : limited
}

/** Agents exist whose word counts. */
export const isMature = ({ maturedAt }: Pick<State, 'maturedAt'>, now: number): boolean => maturedAt <= now

/** As it was computed last, unless something of it has changed since. */
function creditWith(counterparty: string, pair: Pair, sums: Sums, { mates, maturedAt }: State, tuning: Tuning): Credit {
  const isYoung = sums.at < maturedAt
  const isTied = (sums.wasHired && sums.hasHired) || mates.has(counterparty)
  const last = pair.credit
  if (last?.sums === sums && last.isYoung === isYoung && last.isTied === isTied) return last.credit
  const credit = creditOf(counterparty, sums, isTied, isYoung, tuning)
  pair.credit = { sums, isYoung, isTied, credit }
  return credit
}

function creditOf(counterparty: string, sums: Sums, isTied: boolean, isYoung: boolean, tuning: Tuning): Credit {
  const floor = millionths(isYoung ? tuning.young.floor : tuning.floor)
  const isFloor = sums.theirStanding <= floor
  const tie = isTied ? millionths(tuning.tie) : one
  const weight = times(max(sums.theirStanding, floor), tie)
  const failWeight = max(weight, millionths(tuning.floor))
  return {
    ...sums,
    ...wordsOf(sums, tie, { weight, failWeight }, tuning),
    counterparty,
    tie,
    weight,
    failWeight,
    isFloor,
    hasLittleStanding: tuning.words !== undefined && sums.theirStanding < littleStanding(tuning.words),
    isYoung,
    credit: times(weight, min(one, ratio(sums.feesPaid, millionths(tuning.creditFeesMicro)))),
    feesOnChain: times(weight, min(whole(2), sums.feesPaid)),
    hiring: times(times(sums.theirRep, tie), min(one, sums.feesSpent)),
  }
}

/** The standing whose word counts as that of a payer whom nobody vouches for. */
const littleStanding = ({ whole, unvouched }: NonNullable<Tuning['words']>): Decimal => times(millionths(whole), millionths(unvouched))

function wordsOf(
  { theirStanding, feesPaid }: Sums,
  tie: Decimal,
  { weight, failWeight }: Pick<Credit, 'weight' | 'failWeight'>,
  { words }: Tuning,
): Pick<Credit, 'word' | 'missedWord'> {
  if (!words) return { word: weight, missedWord: failWeight }
  const vouched = min(one, ratio(theirStanding, millionths(words.whole)))
  const unvouched = times(millionths(words.unvouched), min(one, ratio(feesPaid, millionths(words.feesMicro))))
  const word = times(tie, max(vouched, unvouched))
  return { word, missedWord: max(word, millionths(words.missed)) }
}

/** First what failures for payers of little standing count is limited, since anybody can make those, and then all that those payers say. */
function wordsWithin(credits: Credit[], { beyond, missedBeyond, missedShare }: NonNullable<Tuning['words']>): Credit[] {
  let [vouched, paid, missed] = [0n, 0n, 0n]
  for (const { hasLittleStanding, word, missedWord, counts } of credits) {
    const [ofPaid, ofMissed] = [word * counts.settled, missedWord * counts.failed]
    if (hasLittleStanding) {
      paid += ofPaid
      missed += ofMissed
    } else vouched += ofPaid + ofMissed
  }
  const missedScale = shareWithin(missed, times(millionths(missedShare), vouched) + millionths(missedBeyond))
  const scale = shareWithin(paid + times(missed, missedScale), vouched + millionths(beyond))
  if (scale === one && missedScale === one) return credits
  return credits.map(entry =>
    entry.hasLittleStanding ? { ...entry, word: times(entry.word, scale), missedWord: times(times(entry.missedWord, missedScale), scale) } : entry,
  )
}

const shareWithin = (total: Decimal, limit: Decimal): Decimal => (total > limit ? ratio(limit, total) : one)

/** Payers that nobody vouches for count little, however many they are. */
function withinLimit(credits: Credit[], tuning: Tuning): Credit[] {
  const limit = millionths(tuning.floorCredit)
  let total = 0n
  for (const entry of credits) if (entry.isFloor) total += entry.credit
  if (total <= limit) return credits
  const share = ratio(limit, total)
  return credits.map(entry => {
    if (!entry.isFloor) return entry
    const weight = times(entry.weight, share)
    const failWeight = max(weight, millionths(tuning.floor))
    const words = tuning.words ? {} : { word: weight, missedWord: failWeight }
    return { ...entry, ...words, weight, failWeight, credit: times(entry.credit, share), feesOnChain: times(entry.feesOnChain, share) }
  })
}

/** What an agent's word is worth to those it pays, and how much it is paid by others: the numbers that facts of its counterparties store. */
export interface Vouching {
  /** Of the agent as payer, without any floor, 0 to 1 in millionths. */
  standing: number
  /** The sum of its credits as worker (D), in millionths. */
  credit: number
}

export function vouchingOf(state: State, credits: Credits, now: number, tuning: Tuning): Vouching {
  let credit = 0n
  for (const entry of credits.values()) credit += entry.credit
  return { standing: toMillionths(standingOf(state, credits, now, tuning)), credit: toMillionths(credit) }
}

export type Credits = ReadonlyMap<string, Credit>

/** The newest twenty, and more until they have enough fees: small ones do not replace all others. */
function newestPayments(paid: State['paid'], now: number, { vouchPayments, vouchPaymentsMicro = 0 }: Tuning): State['paid'] {
  let fees = 0n
  for (let at = paid.length - 1; at >= 0; at -= 1) {
    const isEnough = paid.length - 1 - at >= vouchPayments && fees >= BigInt(vouchPaymentsMicro)
    if (isEnough || paid[at]!.at.getTime() <= now - windowMs) return paid.slice(at + 1)
    fees += BigInt(paid[at]!.fee)
  }
  return paid
}

/** X/(X+h)·min(1, 3·X/Φ) over the newest payments: X the fees for vouched work, Φ all of them. What an agent once paid says little about it now. */
function standingOf({ paid, ...state }: State, credits: Credits, now: number, tuning: Tuning): Decimal {
  const recent = newestPayments(paid, now, tuning)
  const feesFor = new Map<string, Decimal>()
  let all = 0n
  for (const { with: worker, fee, creditable } of recent) {
    all += millionths(fee)
    if (creditable) feesFor.set(worker, (feesFor.get(worker) ?? 0n) + millionths(fee))
  }
  let vouched = 0n
  for (const [worker, fees] of feesFor) {
    const { theirRep, tie } = credits.get(worker)!
    vouched += times(times(min(millionths(tuning.vouchFeesMicro), fees), theirRep), tie)
  }
  if (vouched === 0n) return 0n
  const half = isMature(state, now) ? tuning.vouchHalfMicro : tuning.young.vouchHalfMicro
  const power = isMature(state, now) ? tuning.vouchPower : 1
  return times(shareAbove(vouched, millionths(half), power), min(one, times(millionths(tuning.vouchShare), ratio(vouched, all))))
}
