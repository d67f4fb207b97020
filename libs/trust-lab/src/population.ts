import { type Chain, dayMs, laneInForce, MICRO } from '@carapace/api'
import { slashOf } from '@carapace/escrow/rules'
import { type Lane, tierOf } from '@carapace/formula'
import { feeFor, split } from '@carapace/marketplace/rules'
import { bondFact, lockEndFact, slashFact } from '@carapace/reputation/rules'
import type { Attack } from './attack.ts'
import type { Book, Formula } from './formulas/book.ts'
import type { Market } from './markets.ts'
import { judge } from './panel.ts'
import { type Random, randomOf } from './random.ts'
import { type Records, recordsOf } from './records.ts'

export interface Member {
  id: string
  kind: 'worker' | 'poster' | 'attacker'
  /** True chance to deliver. */
  chance: number
  /** USDC */
  bond: number
  joinedDay: number
  /** Posters may meet it. */
  isHireable: boolean
  crew: string | undefined
  /** Outcomes of real work, as the Bayes learner sees them. */
  delivered: number
  failed: number
  /** Net USDC of real work. */
  earned: number
  firstHireDay: number | undefined
  slashedDay: number
  follows: number
  /** Of panels, in the half of the days that is judged. */
  seats: number
  /** What others have more than this one, they have by what they did. */
  isControl: boolean
  /** Whose score the attack wants to raise: it was paid by another attacker. */
  isRaised: boolean
}

export interface Population {
  readonly market: Market
  readonly attack: Attack
  readonly random: Random
  readonly book: Book
  readonly members: Member[]
  readonly attackers: Member[]
  readonly totals: Totals
  /** The lane of the formula. */
  readonly lane: Lane
  /** What risk and ties are read from, whichever formula is in force. */
  readonly records: Records
  day: number
  now(): Date
  score(member: Member): number
  join(given: Partial<Member> & Pick<Member, 'kind'>): Member
  /** Never to be hired or drawn again. */
  leave(member: Member): void
  /** A gig from its payment to its end; true when it was paid. */
  deal(poster: Member, worker: Member, budget: number, given?: DealGiven): boolean
  crew(name: string, mates: readonly Member[]): void
  follow(follower: Member, member: Member): void
  review(poster: Member, worker: Member, rating: number): void
  /** The heir goes on with the reputation of the source, which is out. */
  inherit(heir: Member, source: Member): void
  /** The honest workers of the highest score, best first. */
  best(count: number): readonly Member[]
  /** Does something so many days later. */
  later(days: number, work: () => void): void
  /** Ends a day, and begins the next. */
  nextDay(): void
}

export interface DealGiven {
  /** The work is good; default true. */
  sound?: boolean
  rating?: number
  /** The verdict, where no panel is to judge. */
  verdict?: boolean
  /** The worker is of the payer's group: what it is paid stays within. */
  isWithin?: true
}

export interface Totals {
  /** Platform fees that attackers paid as posters, USDC. */
  fees: number
  /** All that left the attackers: fees, purchases from outsiders, slashes. */
  outlay: number
  judged: number
  wrong: number
  /** Bad work of attackers that was paid. */
  stolen: number
}

const chain: Chain = 'BASE_SEPOLIA'
const epochMs = Date.UTC(2026, 0, 1)
/** Gigs from this budget on want a bond of a tenth of it, where the worker has one. */
const bondedFrom = 100
const slashEveryDays = 7
export const micro = (usdc: number): bigint => BigInt(Math.round(usdc * 1e6))

export function newPopulation(market: Market, attack: Attack, formula: Formula, seed: string): Population {
  const random = randomOf(seed)
  const anchors = attack.isAlone ? [] : Array.from({ length: market.anchors }, (_, at) => `poster${at}`)
  const records = recordsOf()
  const book = records.followedBy(formula.start(anchors))
  const members: Member[] = []
  const attackers: Member[] = []
  const totals: Totals = { fees: 0, outlay: 0, judged: 0, wrong: 0, stolen: 0 }
  const numbers = { worker: 0, poster: 0, attacker: 0 }
  const planned = new Map<number, (() => void)[]>()
  let ranked: { day: number; workers: Member[] } | undefined
  let moment = 0
  let gigs = 0
  const now = () => new Date(epochMs + population.day * dayMs + moment)
  const score = (member: Member) => book.score(member.id, now())
  const setBond = (member: Member, bond: number, change: 'deposited' | 'slashed') => {
    member.bond = bond
    book.note(member.id, { ...bondFact(change, { totalBonded: micro(bond) }), at: now() })
  }

  const population: Population = {
    ...{ market, attack, random, book, members, attackers, totals, records, lane: formula.lane ?? laneInForce, day: 0, now, score },
    join: given => {
      const id = `${given.kind}${numbers[given.kind]++}`
      const fresh = {
        bond: 0,
        crew: undefined,
        delivered: 0,
        failed: 0,
        earned: 0,
        follows: 0,
        seats: 0,
        isRaised: false,
        isControl: false,
        firstHireDay: undefined,
      }
      const member: Member = { ...fresh, id, chance: 0.15, joinedDay: population.day, isHireable: given.kind !== 'poster', slashedDay: -99, ...given }
      members.push(member)
      if (member.kind === 'attacker') attackers.push(member)
      book.note(id, { type: 'registered', at: now() })
      book.note(id, { type: 'onchain_confirmed', chain, at: now() })
      if (member.bond > 0) setBond(member, member.bond, 'deposited')
      return member
    },
    leave: member => {
      member.isHireable = false
      const at = members.indexOf(member)
      if (at >= 0) members.splice(at, 1)
    },
    crew: (name, mates) => {
      for (const member of mates) {
        member.crew = name
        const others = mates.filter(mate => mate !== member).map(mate => mate.id)
        book.note(member.id, { type: 'crew_mates', crewId: name, mates: others, at: now() })
      }
    },
    follow: (follower, member) => {
      follower.follows++
      book.note(member.id, { type: 'followed', by: follower.id, theirScore: score(follower), theirFollows: follower.follows, at: now() })
    },
    inherit: (heir, source) => {
      book.inherit(heir.id, source.id, now())
      population.leave(source)
    },
    best: count => {
      if (ranked?.day !== population.day) {
        const scored = members.filter(({ kind, isHireable }) => kind === 'worker' && isHireable).map(member => ({ member, value: score(member) }))
        ranked = { day: population.day, workers: scored.sort((a, b) => b.value - a.value).map(({ member }) => member) }
      }
      return ranked.workers.slice(0, count)
    },
    later: (days, work) => {
      planned.set(population.day + days, [...(planned.get(population.day + days) ?? []), work])
    },
    nextDay: () => {
      population.day++
      moment = 0
      for (const work of planned.get(population.day) ?? []) work()
    },
    review: (poster, worker, rating) => book.note(worker.id, { type: 'reviewed', by: poster.id, rating, at: now() }),
    deal: (poster, worker, budget, { sound = true, rating, verdict, isWithin } = {}) => {
      moment = (moment + 1000) % dayMs
      const at = now()
      const gigId = `g${gigs++}`
      const { effectiveBp } = feeFor({ tier: tierOf(score(worker)), chain, availableBond: micro(worker.bond) })
      const { fee, net } = split(micro(budget), effectiveBp)
      const deal = { gigId, posterId: poster.id, workerId: worker.id, budget: micro(budget), fee, net }
      const panels = attack.panels ?? market.panels
      const approved = verdict ?? (random.chance(panels) ? judge(population, gigId, poster, worker, budget, sound) : sound)
      const isOurs = poster.kind === 'attacker'
      const locked = budget >= bondedFrom && worker.bond >= budget / 10 ? budget / 10 : 0
      if (approved) {
        book.settled(deal, at)
        if (isOurs && worker.kind === 'attacker') worker.isRaised = true
        if (isOurs) totals.fees += Number(fee) / 1e6
        if (isOurs) totals.outlay += worker.kind === 'attacker' || isWithin ? Number(fee) / 1e6 : budget
        if (!sound && worker.kind === 'attacker' && !isOurs) totals.stolen++
        if (!isOurs) worker.earned += Number(net) / 1e6
        if (rating !== undefined) population.review(poster, worker, rating)
      } else {
        book.failed(deal, at)
        if (rating !== undefined && rating <= 2) population.review(poster, worker, rating)
      }
      const isSlashed = !approved && locked > 0 && population.day - worker.slashedDay >= slashEveryDays
      if (isSlashed) slash(worker, gigId, locked)
      if (locked > 0) book.note(worker.id, { ...lockEndFact({ gigId, clean: !isSlashed }), at })
      return approved
    },
  }
  const slash = (worker: Member, gigId: string, locked: number) => {
    const amount = slashOf(micro(locked))
    worker.slashedDay = population.day
    if (worker.kind === 'attacker') totals.outlay += Number(amount) / Number(MICRO)
    // every rejection here is a panel's
    book.note(worker.id, { ...slashFact({ slashId: gigId, status: 'APPLIED', amount, validationId: gigId }), at: now() })
    setBond(worker, worker.bond - Number(amount) / Number(MICRO), 'slashed')
  }
  return population
}
