import { hasNewcomerLane, isInNewcomerLane, type LaneFacts, laneRank, limits } from '@carapace/api'
import type { Attack } from './attack.ts'
import type { Formula } from './formulas/book.ts'
import { auc, bayesOf, type Hire } from './judges.ts'
import type { Market } from './markets.ts'
import { type Member, micro, newPopulation, type Population } from './population.ts'

/** What one run says. Shares and rates 0..1; absent where the run has none. */
export interface Figures {
  /** (AUC − 0.5) / (AUC of the true chances − 0.5), over the hires of the second half. */
  share?: number
  /** The same against the Bayes learner. */
  bayesShare?: number
  /** Share of the hires that attackers won, and how many. */
  won?: number
  wonGigs?: number
  feesPerPoint?: number
  outlayPerPoint?: number
  firstGigDays?: number
  firstGigIn10?: number
  wrongVerdicts?: number
  /** Seats of an attacker in the second half, as a multiple of those of an honest agent. */
  seats?: number
  /** USDC that one bad work costs the attackers before it is paid. */
  breakEven?: number
}

/** Hires and panels before this share of the days are for learning. */
const judgedFrom = 0.5
const crewSize = 3
const crewMembers = 0.1
const bondedShare = 0.4
const bonds = [10, 50, 100, 500] as const
const newFrom = 60
const newUntil = 150

/** One market under one attack, ranked by one formula. The same seed gives the same figures. */
export function run(market: Market, attack: Attack, formula: Formula, seed: string): Figures {
  const population = newPopulation(market, attack, formula, seed)
  const { random } = population
  const bayes = bayesOf(market)
  const hires: (Hire & { byAttacker: boolean })[] = []
  const posters = attack.isAlone ? [] : Array.from({ length: market.posters }, () => population.join({ kind: 'poster' }))
  if (!attack.isAlone) settle(population)
  const idle = population.join({ kind: 'worker', isHireable: false, isControl: true })
  attack.begin?.(population)
  const first = new Set(population.members)
  const newAgents: Member[] = []
  for (; population.day < market.days; population.nextDay()) {
    if (population.day === Math.ceil(judgedFrom * market.days)) for (const member of population.members) member.seats = 0
    if (population.day % 10 === 0) for (const { id } of population.members) population.book.note(id, { type: 'seen', at: population.now() })
    if (!attack.isAlone && population.day >= newFrom && population.day < newUntil && random.chance(market.newWorkers))
      newAgents.push(newWorker(population))
    attack.daily?.(population, population.day)
    const hireable = population.members.filter(member => member.isHireable)
    for (const poster of posters) {
      if (!random.chance(market.demand)) continue
      const budget = market.budget(random)
      const worker = choose(population, hireable, budget)
      const chance = worker.kind === 'attacker' ? (attack.chance?.(worker, population) ?? worker.chance) : worker.chance
      const hire = { score: population.score(worker), chance, bayes: bayes(worker.delivered, worker.failed), byAttacker: worker.kind === 'attacker' }
      const delivered = random.chance(chance)
      if (population.day >= judgedFrom * market.days) hires.push({ ...hire, delivered })
      if (delivered) worker.delivered++
      else worker.failed++
      worker.firstHireDay ??= population.day
      const rating = delivered ? (random.chance(0.8) ? 5 : 4) : random.chance(0.7) ? 1 : 2
      const approved = population.deal(poster, worker, budget, { sound: delivered, ...(random.chance(0.7) ? { rating } : {}) })
      if (approved && random.chance(0.05)) population.follow(poster, worker)
      if (worker.kind === 'attacker') attack.hired?.(worker, approved, population)
      if (!worker.isHireable) hireable.splice(hireable.indexOf(worker), 1)
    }
  }
  return figuresOf(population, hires, newAgents, idle, first)
}

/** The honest workers, some of them in crews. */
function settle(population: Population): void {
  const { market, random } = population
  const workers = Array.from({ length: market.workers }, () => newWorker(population))
  for (let at = 0; at + crewSize <= crewMembers * workers.length; at += crewSize) population.crew(`crew${at}`, workers.slice(at, at + crewSize))
  for (let n = 0; n < market.workers / 10; n++) population.follow(random.pick(workers), random.pick(workers))
}

const newWorker = (population: Population): Member =>
  population.join({
    kind: 'worker',
    chance: population.market.quality(population.random),
    bond: population.random.chance(bondedShare) ? population.random.pick(bonds) : 0,
  })

/** A poster meets a few agents and hires one, by weight exp(score / temperature). */
function choose(population: Population, hireable: readonly Member[], budget: number): Member {
  const { random, market } = population
  const met = new Set<Member>()
  while (met.size < Math.min(market.offers, hireable.length)) met.add(random.pick(hireable))
  const weights = [...met].map(member => ({ member, weight: Math.exp(rankedScore(population, member, budget) / market.temperature) }))
  let left = random.next() * weights.reduce((sum, { weight }) => sum + weight, 0)
  for (const { member, weight } of weights) {
    left -= weight
    if (left < 0) return member
  }
  return weights[0]!.member
}

function rankedScore(population: Population, member: Member, budget: number): number {
  const fusedScore = population.score(member)
  if (!population.attack.lane || !hasNewcomerLane(micro(budget))) return fusedScore
  if (!isInNewcomerLane(laneFactsOf(population, member), population.lane)) return fusedScore
  return Math.max(fusedScore, rankOfDay(population))
}

const laneFactsOf = (population: Population, member: Member): LaneFacts => ({
  fusedScore: population.score(member),
  riskScore: population.records.riskOf(member.id, population.now()),
  totalBonded: micro(member.bond),
  totalGigsCompleted: population.records.completed(member.id),
})

const ranks = new WeakMap<Population, { day: number; rank: number }>()

/** What the lane is ranked as, once a day. */
function rankOfDay(population: Population): number {
  const last = ranks.get(population)
  if (last?.day === population.day) return last.rank
  const lane = laneRank(population.lane)
  const counted = population.lane.kind === 'market' ? population.members : []
  for (const member of counted) if (member.isHireable) lane.add(laneFactsOf(population, member))
  const rank = lane.rank()
  ranks.set(population, { day: population.day, rank })
  return rank
}

const isBonded = ({ bond }: Member): boolean => micro(bond) >= limits.bond.minMicro

function figuresOf(
  population: Population,
  hires: readonly (Hire & { byAttacker: boolean })[],
  newAgents: readonly Member[],
  idle: Member,
  first: ReadonlySet<Member>,
) {
  const { totals, attackers } = population
  const figures: Figures = {}
  if (hires.length > 0) {
    const own = auc(hires, hire => hire.score) - 0.5
    figures.share = own / (auc(hires, hire => hire.chance) - 0.5)
    figures.bayesShare = own / (auc(hires, hire => hire.bayes) - 0.5)
  }
  if (attackers.length > 0 && hires.length > 0) {
    figures.wonGigs = hires.filter(hire => hire.byAttacker).length
    figures.won = figures.wonGigs / hires.length
  }
  const points = attackers
    .filter(({ isRaised }) => isRaised)
    .reduce((sum, member) => sum + Math.max(0, population.score(member) - population.score(idle)), 0)
  if (totals.fees > 0) figures.feesPerPoint = totals.fees / Math.max(0.1, points)
  if (totals.fees > 0) figures.outlayPerPoint = totals.outlay / Math.max(0.1, points)
  // the lane is for bonded ones
  const started = population.attack.lane ? newAgents.filter(isBonded) : newAgents
  if (started.length > 0) {
    const waits = started.map(({ firstHireDay, joinedDay }) => (firstHireDay ?? Number.POSITIVE_INFINITY) - joinedDay).sort((a, b) => a - b)
    figures.firstGigDays = Math.min(population.market.days, waits[Math.floor(waits.length / 2)]!)
    figures.firstGigIn10 = waits.filter(days => days <= 10).length / waits.length
  }
  if (totals.judged > 0) figures.wrongVerdicts = totals.wrong / totals.judged
  const seated = { ours: meanSeats(attackers), theirs: meanSeats([...first].filter(({ kind }) => kind !== 'attacker')) }
  if (population.attack.panels && attackers.length > 0) figures.seats = seated.ours / seated.theirs
  if (population.attack.panels && totals.stolen > 0) figures.breakEven = totals.outlay / totals.stolen
  return figures
}

const meanSeats = (members: readonly Member[]): number => members.reduce((sum, { seats }) => sum + seats, 0) / Math.max(1, members.length)
